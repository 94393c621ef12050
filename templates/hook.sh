# >>> ua-hooks >>> tells ua-hooks what git did; does nothing where a clone has no ua-hooks
ua_dir=${GIT_DIR:-.git}
if [ -f "$ua_dir" ]; then # `gitdir: <path>`, and a path may hold anything, also a newline
  ua_file=$ua_dir ua_dir=
  while IFS= read -r ua_line || [ -n "$ua_line" ]; do ua_dir=$ua_dir${ua_dir:+'
'}$ua_line; done <"$ua_file"
  ua_dir=${ua_dir#gitdir: }
fi
ua_common=$ua_dir
if [ -f "$ua_dir/commondir" ]; then
  IFS= read -r ua_common <"$ua_dir/commondir" || :
  case $ua_common in
    /* | ?:/*) ;;
    ../..) ua_common=${ua_dir%/*/*} ;; # not through the worktree's git dir: it is deleted with the worktree
    *) ua_common=$ua_dir/$ua_common ;;
  esac
fi
if [ -r "$ua_common/ua-hooks/entry.sh" ]; then
  set -- @event@ "$@"
  . "$ua_common/ua-hooks/entry.sh"
fi
# <<< ua-hooks <<<
