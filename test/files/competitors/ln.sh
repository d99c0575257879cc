# sh ln.sh FILE NAME COUNT: appends COUNT lines to FILE under a lock made with `ln -T` from a complete file.
file=$1 name=$2 count=$3 lock=$1.lock claim=$1.claim-$$ next=$1.next-$$ number=1
while [ "$number" -le "$count" ]; do
  echo $$ >"$claim"
  until ln -T "$claim" "$lock" 2>/dev/null; do sleep 0.005; done
  rm "$claim"
  { cat "$file"; echo "$name $number"; } >"$next" && mv "$next" "$file"
  echo "$name $number"
  rm "$lock"
  number=$((number + 1))
done
