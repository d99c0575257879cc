# sh mkdir.sh FILE NAME COUNT: appends COUNT lines to FILE under a lock directory.
file=$1 name=$2 count=$3 lock=$1.lock next=$1.next-$$ number=1
while [ "$number" -le "$count" ]; do
  until mkdir "$lock" 2>/dev/null; do sleep 0.005; done
  { cat "$file"; echo "$name $number"; } >"$next" && mv "$next" "$file"
  echo "$name $number"
  rmdir "$lock"
  number=$((number + 1))
done
