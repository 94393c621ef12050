# ua-hooks: what every hook runs. Sourced in a subshell by the block in the hook file, with
#   ua_event   post-commit, post-merge, post-checkout or post-rewrite    ua_dir    this worktree's git dir
#   ua_common  the git common dir                                       ua_pairs  post-rewrite's stdin    "$@"  git's
# Shell builtins only, up to the start of a runner: this is all that git waits for. It never fails and prints nothing.
set +eu

[ "${UA_HOOKS-}" != 0 ] || return 0

case $ua_event in
  post-checkout)
    # old HEAD, new HEAD, flag: 0 is a checkout of files; an equal HEAD is a new branch. Neither changes a commit.
    [ "${3-}" != 0 ] || return 0
    [ "${1-}" != "${2-}" ] || return 0
    ;;
esac

ua_state=$ua_common/ua-hooks
ua_view=.
[ "$ua_dir" = "$ua_common" ] || ua_view=${ua_dir##*/}

if [ -n "${ua_pairs-}" ]; then
  { printf '%s\n' "$ua_pairs" >"$ua_state/rewrites/$ua_view.${1-}.$$"; } 2>/dev/null
fi

# One line per event. It only wakes a runner: what is true is read from git (law 2).
{ printf '%s %s\n' "$ua_event" "$ua_view" >>"$ua_state/journal"; } 2>/dev/null || return 0

# Inside a rebase the commits and their amends are steps on the way; its end has an event of its own.
if [ -d "$ua_dir/rebase-merge" ] || [ -d "$ua_dir/rebase-apply" ]; then
  case $ua_event.${1-} in
    post-commit.* | post-rewrite.amend) return 0 ;;
  esac
fi

# A runner that is alive will see the journal, now or in its last look.
ua_pid=
{ read -r ua_pid <"$ua_state/runner.pid"; } 2>/dev/null
if [ "${UA_HOOKS_FOREGROUND-}" != 1 ] && [ -n "$ua_pid" ] && kill -0 "$ua_pid" 2>/dev/null; then return 0; fi

# Where node and the program are; a relative path is meant from the git common dir, so that the repository can move.
ua_node= ua_entry= ua_mode=
{ { read -r ua_node && read -r ua_entry && read -r ua_mode; } <"$ua_state/env"; } 2>/dev/null
case $ua_entry in
  /*) ;;
  *) ua_entry=$ua_common/$ua_entry ;;
esac
[ -x "$ua_node" ] || ua_node=$(command -v node) || return 0
[ -f "$ua_entry" ] || return 0

# Options and certificates of the caller's shell are not for us; the second cost Node 20 55 ms at every start.
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS

if [ "${UA_HOOKS_FOREGROUND-}" = 1 ] || [ "$ua_mode" = foreground ]; then
  "$ua_node" "$ua_entry" event "$ua_event" </dev/null >/dev/null 2>&1
  return 0
fi

# Detached: a session of its own, so that a killed process group does not take it along; no descriptor of the caller's
# stays open, so that whoever captures git's output, or holds a lock on one, does not wait for us.
if command -v setsid >/dev/null 2>&1; then
  setsid "$ua_node" "$ua_entry" run "$ua_common" </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
else
  "$ua_node" "$ua_entry" detach "$ua_common" </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
fi
{ printf '%s\n' "$!" >"$ua_state/runner.pid"; } 2>/dev/null
return 0
