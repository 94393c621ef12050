# ua-hooks: sourced by a hook file or by a hook manager's file, in its own shell, which may be any shell with any options.
# The event stands in front of git's arguments, and these variables are set:
#   ua_common  the git common dir    ua_dir  this worktree's git dir, if known    ua_slot  `config` or a manager, if one runs us
# Appends the event to the journal, with builtins and without a process. If no worker is running, shim.sh starts one, in a
# subshell. The arguments and git's stdin stay as they were, for the hooks that run after this one.
ua_event=$1
shift

# During a rebase every commit and amend fires a hook, maybe hundreds of times. The end of the rebase has an event of its own.
ua_is_step() {
  case $ua_event.${1-} in
    post-commit.* | post-rewrite.amend) ;;
    *) return 1 ;;
  esac
  [ ! -d "$ua_dir/rebase-merge" ] || return 0
  [ -d "$ua_dir/rebase-apply" ] && [ ! -f "$ua_dir/rebase-apply/applying" ] # `am` has that file, and is no rebase
}

# A running worker reads the journal, at the latest just before it ends. The pid may belong to another process by now: the
# command line in /proc shows it, and a zombie has an empty one. In the foreground a running worker does not count.
ua_is_served() {
  [ "$ua_mode" != foreground ] || return 1
  ua_pid=
  { IFS= read -r ua_pid <"$ua_state/runner.pid"; } 2>/dev/null || return 1
  case $ua_pid in
    '' | 0* | *[!0-9]*) return 1 ;;
  esac
  kill -0 "$ua_pid" 2>/dev/null || return 1
  if [ ! -r /proc/self/cmdline ]; then
    ua_holds_pipe
    return
  fi
  ua_line=
  { IFS= read -r ua_line <"/proc/$ua_pid/cmdline"; } 2>/dev/null || : # no newline at its end
  case $ua_line in
    *hook.cjs*) ;;
    *) return 1 ;;
  esac
  # The number may come from another container, and be another clone's worker here. Ours runs in the git common dir.
  [ ! -e /proc/self/ns/pid ] || [ "/proc/$ua_pid/cwd" -ef "$ua_common" ]
}

# Without a /proc (macOS): every worker holds the named pipe `alive` open for reading as long as it runs. Descriptor 9 is both
# ends, so that the next open does not wait for a reader; once it is closed, a write fails unless a worker reads.
ua_holds_pipe() {
  [ -p "$ua_state/alive" ] || return 1
  (exec 9<>"$ua_state/alive" && exec 8>"$ua_state/alive" 9<&- && printf . >&8) 2>/dev/null
}

# `ua-hooks doctor` checks whether the hook is called. Then nothing else happens, and the rest of this hook file does not run.
case ${UA_HOOKS_PROBE-} in
  */ua-hooks-doctor-*/heard) # src/install/live-fire.ts; any other value does nothing
    { printf '%s %s\n' "$ua_event" "${ua_slot:-file}" >>"$UA_HOOKS_PROBE"; } 2>/dev/null || :
    exit 0
    ;;
esac
ua_state=$ua_common/ua-hooks
ua_event_is_new=yes

# One event may arrive twice: through the hook file and through the manager that it starts, or through git's config and then
# through the hook file, both started by one git process. The second one is ignored.
case ${ua_slot-} in
  '')
    ua_ran=
    if [ -s "$ua_state/config-ran" ]; then
      { read -r ua_ran <"$ua_state/config-ran"; } 2>/dev/null || :
      if [ "$ua_ran" = "$PPID $ua_event" ] && [ "$PPID" != 1 ]; then # Windows: sh does not know git's number, and says 1
        { printf '' >|"$ua_state/config-ran"; } 2>/dev/null || : # not `:`: if a redirection of it fails, sh exits
        ua_event_is_new=
      fi
    fi
    ;;
  config) { printf '%s %s\n' "$PPID" "$ua_event" >|"$ua_state/config-ran"; } 2>/dev/null || : ;;
  *) [ "${UA_HOOKS_DONE-}" != "$ua_event $PWD" ] || ua_event_is_new= ;;
esac
UA_HOOKS_DONE="$ua_event $PWD"
export UA_HOOKS_DONE

# git's arguments are old HEAD, new HEAD, flag. Flag 0 is a checkout of files, an equal HEAD a new branch: HEAD did not move.
if [ "$ua_event" = post-checkout ]; then
  if [ "${3-}" = 0 ] || [ "${1-}" = "${2-}" ]; then ua_event_is_new=; fi
fi
if [ "${UA_HOOKS-}" = 0 ] || [ -f "$ua_state/paused" ]; then ua_event_is_new=; fi

if [ -n "$ua_event_is_new" ]; then
  if [ -z "${ua_dir-}" ]; then
    ua_dir=${GIT_DIR:-.git}
    [ -d "$ua_dir" ] || ua_dir=$(git rev-parse --git-dir 2>/dev/null) || ua_dir=$ua_common
  fi
  ua_worktree=.
  [ "$ua_dir" = "$ua_common" ] || ua_worktree=${ua_dir##*/}

  ua_pairs=
  # stdin can be read once: it is kept for the hooks that run after this one, in a file of ours, or else not read at all.
  if [ "$ua_event" = post-rewrite ] && [ -w "$ua_state" ]; then
    IFS= read -r ua_pairs || :
    while IFS= read -r ua_pair || [ -n "$ua_pair" ]; do # more lines than an amend has: sh reads byte by byte, cat does not
      ua_rest=$(cat 2>/dev/null) || :
      ua_pairs=$ua_pairs'
'$ua_pair${ua_rest:+'
'}$ua_rest
    done
  fi
  # One line `<old> <new>` per commit. The last line marks the end: a worker may read while we write.
  if [ -n "$ua_pairs" ]; then
    { printf '%s\nend\n' "$ua_pairs" >>"$ua_state/rewrites/$ua_worktree.${1-}.$$"; } 2>/dev/null || :
  fi

  if [ -n "$ua_pairs" ]; then # an empty stdin is at its end already
    # Before a worker starts, which would keep git's file open: Windows cannot remove `rebase-merge` while one in it is open.
    # Not a here-document: some shells write one to /tmp, which may be full. The file stays open without its name; where that is not
    # possible (Windows), a later worker removes it.
    { printf '%s\n' "$ua_pairs" >|"$ua_state/.stdin.$$.tmp"; } 2>/dev/null && exec <"$ua_state/.stdin.$$.tmp" || :
    rm -f "$ua_state/.stdin.$$.tmp" 2>/dev/null || :
  fi

  # One line per event. It only starts a worker, which compares HEAD itself (invariant "pending is computed").
  if { printf '%s %s\n' "$ua_event" "$ua_worktree" >>"$ua_state/journal"; } 2>/dev/null; then
    # The paths of node and the program, whether git waits, and programs that do not work here. A relative path starts at the git
    # common dir, so that the repository can be moved.
    ua_node= ua_entry= ua_mode= ua_broken=
    if ! ua_is_step "$@"; then
      { { IFS= read -r ua_node && IFS= read -r ua_entry && IFS= read -r ua_mode && IFS= read -r ua_broken; } <"$ua_state/env"; } 2>/dev/null || :
      [ "${UA_HOOKS_FOREGROUND-}" != 1 ] || ua_mode=foreground
      if ! ua_is_served && [ -r "$ua_state/shim.sh" ]; then
        if [ "$ua_mode" = foreground ]; then
          (. "$ua_state/shim.sh") </dev/null || :
        else
          # One process, which becomes Node; git waits for none of it. No descriptor of the caller stays open, so that a program that
          # captures git's output does not wait for us (sh cannot name descriptors above 9: the worker closes them itself).
          # Braces: some shells make two processes of parentheses, and the outer one would keep git's output open.
          { . "$ua_state/shim.sh"; } </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
          { printf '%s\n' "$!" >|"$ua_state/runner.pid"; } 2>/dev/null || :
        fi
      fi
    fi
  fi
fi
:
