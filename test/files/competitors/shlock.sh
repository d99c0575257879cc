# sh shlock.sh FILE NAME COUNT: appends COUNT lines to FILE under a lock of the program $SHLOCK.
file=$1 name=$2 count=$3 lock=$1.lock next=$1.next-$$ number=1
while [ "$number" -le "$count" ]; do
  until LD_LIBRARY_PATH=$SHLOCK_LIBRARIES "$SHLOCK" -f "$lock" -p $$ 2>/dev/null; do sleep 0.005; done
  { cat "$file"; echo "$name $number"; } >"$next" && mv "$next" "$file"
  echo "$name $number"
  rm "$lock"
  number=$((number + 1))
done
