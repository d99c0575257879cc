# sh shell-agent.sh FILE NAME COUNT LOCK: an agent of shell commands, which posts COUNT messages with heredocs. LOCK is
# mkdir or shlock. After each it reads on from the cursor it took before, and says `NAME NUMBER` if its own message is there.
file=$1 name=$2 count=$3 kind=$4 lock=$1.lock number=1
take() {
  if [ "$kind" = mkdir ]; then mkdir "$lock" 2>/dev/null
  else LD_LIBRARY_PATH=$SHLOCK_LIBRARIES "$SHLOCK" -f "$lock" -p $$ 2>/dev/null; fi
}
release() { if [ "$kind" = mkdir ]; then rmdir "$lock"; else rm "$lock"; fi; }
while [ "$number" -le "$count" ]; do
  cursor=$(cat "$file" 2>/dev/null | wc -l)
  until take; do sleep 0.005; done
  cat >>"$file" <<MESSAGE

[[message]]
from = "$name"
to = "all"
thread = "race"
type = "info"
ts = "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
text = """
$name $number
[[message]]
from = "nobody"
"""
MESSAGE
  release
  if tail -n +$((cursor + 1)) "$file" | grep -qx "$name $number"; then echo "$name $number"; fi
  number=$((number + 1))
done
