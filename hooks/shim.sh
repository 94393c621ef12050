# ua-hooks: starts Node. Sourced in a subshell by entry.sh, after the event is in the journal, with these variables:
#   ua_event   post-commit, post-merge, post-checkout or post-rewrite    ua_worktree  its id, `.` for the main one
#   ua_dir     this worktree's git dir    ua_common  the git common dir    ua_state  our folder in it
#   ua_node    ua_entry    ua_mode: `foreground` if git waits    ua_broken  programs that install found not to work
# In the foreground git waits for it: only shell builtins before that start. It never fails and prints nothing.
set +euC # the hook file may have set them: do not exit at a failure, allow files to be overwritten
unset IFS

# The node of install may be gone after an upgrade, and a GUI client's PATH may have none. Then use the one of the usual version
# managers and package managers, the highest version last. The worker saves the path that it was started with.
ua_looked=
[ -x "$ua_node" ] || { ua_looked=yes ua_node=$(command -v node); }
case $ua_node in # a relative folder of PATH, npm's, or one of the work tree is one that a checkout can fill
  */node_modules/.bin/*) ua_node= ;;
  /* | ?:/*) ;;
  *) ua_node= ;;
esac
if [ -n "$ua_looked" ] && [ -n "$ua_node" ]; then
  ua_main=${ua_common%/.git} ua_top=$(pwd -P)
  while [ -n "$ua_top" ] && [ ! -e "$ua_top/.git" ]; do ua_top=${ua_top%/*}; done
  case $(CDPATH= cd -P -- "${ua_node%/*}/" && pwd -P)/ in
    "${ua_top:-/.git}"/* | "${ua_main:-/.git}"/*) ua_node= ;;
  esac
fi
if [ ! -x "$ua_node" ]; then
  for ua_try in /usr/bin/node /usr/local/bin/node /opt/homebrew/bin/node /opt/local/bin/node /snap/bin/node \
    "${HOME-}"/.asdf/shims/node "${HOME-}"/.local/share/mise/shims/node "${HOME-}"/.volta/bin/node \
    "${HOME-}"/.local/share/fnm/node-versions/v[2-9][0-9].*/installation/bin/node \
    "${NVM_DIR:-${HOME-}/.nvm}"/versions/node/v[2-9][0-9].*/bin/node; do
    [ ! -x "$ua_try" ] || ua_node=$ua_try
  done
  [ -x "$ua_node" ] || return 0
fi
case $ua_entry in
  /* | ?:/*) [ -f "$ua_entry" ] || return 0 ;;
  *) [ -f "$ua_common/$ua_entry" ] || return 0 ;;
esac

# Options and certificates of the caller's shell are not for us; the certificates cost Node 20 55 ms at every start.
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE

# The same git command as in src/git/trees.ts, with the environment of src/git/run.ts.
ua_diff() {
  unset GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_INDEX_FILE GIT_NAMESPACE GIT_PREFIX GIT_WORK_TREE
  unset GIT_DIFF_OPTS GIT_EXTERNAL_DIFF
  GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none GIT_TERMINAL_PROMPT=0 GIT_NO_REPLACE_OBJECTS=1 git --git-dir="$ua_dir" -c core.fsmonitor=false \
    -c core.hooksPath=/dev/null --no-pager diff --raw -z --no-renames --no-abbrev --no-ext-diff --no-textconv \
    --no-color --ignore-submodules=none "$ua_from" "$ua_to" -- && printf end
}

if [ "$ua_mode" = foreground ]; then
  exec 2>/dev/null # if Node is killed (out of memory, for example), sh itself prints a message
  case $ua_entry in
    /* | ?:/*) ;;
    *) ua_entry=$ua_common/$ua_entry ;;
  esac
  # The verified commit and HEAD's, if builtins can read them; after a commit the ref of HEAD is a loose file.
  ua_stamp=main ua_from= ua_to= ua_ref=
  [ "$ua_worktree" = . ] || ua_stamp=linked.$ua_worktree
  { IFS= read -r ua_from <"$ua_state/proofs/$ua_stamp" && IFS= read -r ua_ref <"$ua_dir/HEAD"; } 2>/dev/null
  { IFS= read -r ua_to <"$ua_common/${ua_ref#ref: }"; } 2>/dev/null
  case $ua_from$ua_to in
    *[!0-9a-f]*) ua_from= ;;
  esac
  if [ -z "$ua_from" ] || [ -z "$ua_to" ] || [ "$ua_from" = "$ua_to" ]; then
    "$ua_node" "$ua_entry" event "$ua_event" </dev/null >/dev/null 2>&1 || rm -rf "$ua_state/code"
  else
    # git works while Node starts. A pipe hides git's failure, so `end` is printed after success.
    ua_diff 2>/dev/null | "$ua_node" "$ua_entry" event "$ua_event" "$ua_from" "$ua_to" >/dev/null 2>&1 ||
      rm -rf "$ua_state/code" # our program always exits with 0: V8 may have crashed on the compiled code
  fi
  return 0
fi

# Detached: in a session of its own, so that it survives when the process group is killed. And in a folder that stays when a worktree
# is removed.
ua_session= ua_command=detach # without the programs below: Node starts a second Node
for ua_try in setsid perl; do # macOS has no setsid
  case " $ua_broken " in
    *" $ua_try "*) continue ;;
  esac
  if command -v "$ua_try" >/dev/null 2>&1; then
    ua_session=$ua_try ua_command=run
    break
  fi
done
set -- "$ua_node" "$ua_entry" "$ua_command"
# If git continues with further commits, there is nothing to verify yet, and git needs the cores. So Node starts when git has
# ended or stopped at a conflict, or after five seconds, because other worktrees may have events too.
if [ -d "$ua_dir/rebase-merge" ] || [ -d "$ua_dir/sequencer" ]; then
  set -- sh -c 'n=0; while kill -0 "$0" && [ $n -lt 50 ] && sleep 0.1; do n=$((n + 1)); done; exec "$@"' "$PPID" "$@"
fi
case $ua_session in
  setsid) set -- setsid "$@" ;;
  perl) set -- perl -MPOSIX=setsid -e 'setsid(); exec { $ARGV[0] } @ARGV' "$@" ;;
esac
CDPATH= cd "$ua_common" >/dev/null 2>&1 || return 0
ua_state=ua-hooks
ua_alive=/dev/null
if [ ! -r /proc/self/cmdline ]; then # see ua_holds_pipe in entry.sh
  [ -p "$ua_state/alive" ] || mkfifo -m 600 "$ua_state/alive" 2>/dev/null
  [ ! -p "$ua_state/alive" ] || ua_alive=$ua_state/alive
fi
# Descriptor 9 here and not in a line of its own: ksh closes such a descriptor when it starts a program.
exec "$@" "$PWD" 9<>"$ua_alive"
