# sh noclobber.sh FILE NAME COUNT: appends COUNT lines to FILE under a lock made with `set -C`, empty for a moment.
file=$1 name=$2 count=$3 lock=$1.lock next=$1.next-$$ number=1
while [ "$number" -le "$count" ]; do
  until (set -C; echo $$ >"$lock") 2>/dev/null; do sleep 0.005; done
  { cat "$file"; echo "$name $number"; } >"$next" && mv "$next" "$file"
  echo "$name $number"
  rm "$lock"
  number=$((number + 1))
done
