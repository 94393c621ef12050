# ua-hooks: the way in from a hook file or a manager's slot. Sourced in the hook's own shell, whatever that is and has set,
# with the event in front of git's arguments, and
#   ua_common  the git common dir    ua_dir  this worktree's git dir, if known    ua_slot  `config` or a manager, if one runs us
# Leaves the arguments and, for those who come after us, git's stdin as they were.
ua_event=$1
shift

# `ua-hooks doctor` wants to know who is called. Nothing else happens then, not even the rest of this hook file.
if [ -n "${UA_HOOKS_PROBE-}" ]; then
  { printf '%s %s\n' "$ua_event" "${ua_slot:-file}" >>"$UA_HOOKS_PROBE"; } 2>/dev/null || :
  exit 0
fi

# One event may come twice: through the hook file and through the slot of the manager that it starts, or through git's
# config and then through the hook file, both started by one git. The second one has nothing to add.
ua_twice=
case ${ua_slot-} in
  '')
    ua_ran=
    if [ -s "$ua_common/ua-hooks/config-ran" ]; then
      { read -r ua_ran <"$ua_common/ua-hooks/config-ran"; } 2>/dev/null || :
      if [ "$ua_ran" = "$PPID $ua_event" ]; then
        { : >|"$ua_common/ua-hooks/config-ran"; } 2>/dev/null || :
        ua_twice=yes
      fi
    fi
    ;;
  config) { printf '%s %s\n' "$PPID" "$ua_event" >|"$ua_common/ua-hooks/config-ran"; } 2>/dev/null || : ;;
  *) [ "${UA_HOOKS_DONE-}" != "$ua_event $PWD" ] || ua_twice=yes ;;
esac
UA_HOOKS_DONE="$ua_event $PWD"
export UA_HOOKS_DONE

if [ -z "$ua_twice" ]; then
  if [ -z "${ua_dir-}" ]; then
    ua_dir=${GIT_DIR:-.git}
    [ -d "$ua_dir" ] || ua_dir=$(git rev-parse --git-dir 2>/dev/null) || ua_dir=$ua_common
  fi
  ua_pairs=
  if [ "$ua_event" = post-rewrite ]; then # git says the rewritten commits once: keep them for those who come after us
    IFS= read -r ua_pairs || :
    while IFS= read -r ua_pair || [ -n "$ua_pair" ]; do # more than an amend: sh reads byte by byte, cat all at once
      ua_rest=$(cat 2>/dev/null) || :
      ua_pairs=$ua_pairs'
'$ua_pair${ua_rest:+'
'}$ua_rest
    done
  fi
  (
    if [ -r "$ua_common/ua-hooks/shim.sh" ]; then . "$ua_common/ua-hooks/shim.sh"; fi
  ) </dev/null || :
  if [ -n "$ua_pairs" ]; then # an empty stdin is at its end as it was
    exec <<ua_hooks_pairs
$ua_pairs
ua_hooks_pairs
  fi
fi
:
