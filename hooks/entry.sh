# ua-hooks: the way in from a hook file or a manager's slot. Sourced in the hook's own shell, whatever that is and has set,
# with the event in front of git's arguments, and
#   ua_common  the git common dir    ua_dir  this worktree's git dir, if known    ua_slot  `config` or a manager, if one runs us
# Writes down what git did, in builtins and without a process, and where nobody is there to read it, lets shim.sh start
# somebody, in a subshell. Leaves the arguments and, for those who come after us, git's stdin as they were.
ua_event=$1
shift

# Inside a rebase the commits and their amends are steps on the way, maybe hundreds; its end has an event of its own.
ua_is_step() {
  case $ua_event.${1-} in
    post-commit.* | post-rewrite.amend) ;;
    *) return 1 ;;
  esac
  [ ! -d "$ua_dir/rebase-merge" ] || return 0
  [ -d "$ua_dir/rebase-apply" ] && [ ! -f "$ua_dir/rebase-apply/applying" ] # `am` has that file, and is no rebase
}

# A runner that is alive will see the journal, now or in its last look. The number may be another process's by now: where
# there is a /proc, the command line tells, and a dead one that nobody has reaped has none. Where git is to wait, none counts.
ua_is_served() {
  [ "$ua_mode" != foreground ] || return 1
  ua_pid=
  { IFS= read -r ua_pid <"$ua_state/runner.pid"; } 2>/dev/null || return 1
  case $ua_pid in
    '' | 0* | *[!0-9]*) return 1 ;;
  esac
  kill -0 "$ua_pid" 2>/dev/null || return 1
  ua_line=hook.cjs
  { IFS= read -r ua_line <"/proc/$ua_pid/cmdline"; } 2>/dev/null || :
  case $ua_line in
    *hook.cjs*) ;;
    *) return 1 ;;
  esac
}

# `ua-hooks doctor` wants to know who is called. Nothing else happens then, not even the rest of this hook file.
if [ -n "${UA_HOOKS_PROBE-}" ]; then
  { printf '%s %s\n' "$ua_event" "${ua_slot:-file}" >>"$UA_HOOKS_PROBE"; } 2>/dev/null || :
  exit 0
fi
ua_state=$ua_common/ua-hooks
ua_news=yes

# One event may come twice: through the hook file and through the slot of the manager that it starts, or through git's
# config and then through the hook file, both started by one git. The second one has nothing to add.
case ${ua_slot-} in
  '')
    ua_ran=
    if [ -s "$ua_state/config-ran" ]; then
      { read -r ua_ran <"$ua_state/config-ran"; } 2>/dev/null || :
      if [ "$ua_ran" = "$PPID $ua_event" ]; then
        { printf '' >|"$ua_state/config-ran"; } 2>/dev/null || : # not `:`, at whose failure sh would end
        ua_news=
      fi
    fi
    ;;
  config) { printf '%s %s\n' "$PPID" "$ua_event" >|"$ua_state/config-ran"; } 2>/dev/null || : ;;
  *) [ "${UA_HOOKS_DONE-}" != "$ua_event $PWD" ] || ua_news= ;;
esac
UA_HOOKS_DONE="$ua_event $PWD"
export UA_HOOKS_DONE

# git's arguments are old HEAD, new HEAD, flag: 0 is a checkout of files, an equal HEAD a new branch. No commit changed.
if [ "$ua_event" = post-checkout ]; then
  if [ "${3-}" = 0 ] || [ "${1-}" = "${2-}" ]; then ua_news=; fi
fi
if [ "${UA_HOOKS-}" = 0 ] || [ -f "$ua_state/paused" ]; then ua_news=; fi

if [ -n "$ua_news" ]; then
  if [ -z "${ua_dir-}" ]; then
    ua_dir=${GIT_DIR:-.git}
    [ -d "$ua_dir" ] || ua_dir=$(git rev-parse --git-dir 2>/dev/null) || ua_dir=$ua_common
  fi
  ua_view=.
  [ "$ua_dir" = "$ua_common" ] || ua_view=${ua_dir##*/}

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
  # `<old> <new>` a line. The last line says that the writer came to its end: a runner may look while we write.
  if [ -n "$ua_pairs" ]; then
    { printf '%s\nend\n' "$ua_pairs" >>"$ua_state/rewrites/$ua_view.${1-}.$$"; } 2>/dev/null || :
  fi

  # One line per event. It only wakes a runner: what is true is read from git (invariant "pending is computed").
  if { printf '%s %s\n' "$ua_event" "$ua_view" >>"$ua_state/journal"; } 2>/dev/null; then
    # Where node and the program are, and whether git is to wait. A relative path is meant from the git common dir, so that
    # the repository can move.
    ua_node= ua_entry= ua_mode=
    if ! ua_is_step "$@"; then
      { { IFS= read -r ua_node && IFS= read -r ua_entry && IFS= read -r ua_mode; } <"$ua_state/env"; } 2>/dev/null || :
      [ "${UA_HOOKS_FOREGROUND-}" != 1 ] || ua_mode=foreground
      if ! ua_is_served && [ -r "$ua_state/shim.sh" ]; then
        (. "$ua_state/shim.sh") </dev/null || :
      fi
    fi
  fi

  if [ -n "$ua_pairs" ]; then # an empty stdin is at its end as it was
    exec <<ua_hooks_pairs
$ua_pairs
ua_hooks_pairs
  fi
fi
:
