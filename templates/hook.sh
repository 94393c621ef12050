# >>> ua-hooks >>> keeps what agents know about this code true; `ua-hooks uninstall` takes it out again
ua_event=@event@ ua_pairs=
if [ $ua_event = post-rewrite ]; then # git says the rewritten commits once: keep them for those who come after us
  IFS= read -r ua_pairs || :
  while IFS= read -r ua_pair || [ -n "$ua_pair" ]; do # more than an amend: sh reads byte by byte, cat all at once
    ua_rest=$(cat 2>/dev/null) || :
    ua_pairs=$ua_pairs'
'$ua_pair${ua_rest:+'
'}$ua_rest
  done
fi
(
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
      /*) ;;
      ../..) ua_common=${ua_dir%/*/*} ;; # no way through a folder that goes when the worktree is removed
      *) ua_common=$ua_dir/$ua_common ;;
    esac
  fi
  if [ -r "$ua_common/ua-hooks/shim.sh" ]; then . "$ua_common/ua-hooks/shim.sh"; fi
) </dev/null || :
if [ -n "$ua_pairs" ]; then # an empty stdin is at its end as it was
  exec <<ua_hooks_pairs
$ua_pairs
ua_hooks_pairs
fi
# <<< ua-hooks <<<
