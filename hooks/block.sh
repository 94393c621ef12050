# >>> ua-hooks >>> keeps what agents know about this code true; `ua-hooks uninstall` takes it out again
ua_event=@event@ ua_pairs=
if [ $ua_event = post-rewrite ]; then # git says the rewritten commits once: keep them for those who come after us
  while IFS= read -r ua_pair; do ua_pairs=$ua_pairs${ua_pairs:+
}$ua_pair; done
fi
(
  ua_dir=${GIT_DIR:-.git}
  if [ -f "$ua_dir" ]; then IFS= read -r ua_dir <"$ua_dir" || :; ua_dir=${ua_dir#gitdir: }; fi
  ua_common=$ua_dir
  if [ -f "$ua_dir/commondir" ]; then
    IFS= read -r ua_common <"$ua_dir/commondir" || :
    case $ua_common in /*) ;; *) ua_common=$ua_dir/$ua_common ;; esac
  fi
  if [ -r "$ua_common/ua-hooks/shim.sh" ]; then . "$ua_common/ua-hooks/shim.sh"; fi
) </dev/null || :
if [ $ua_event = post-rewrite ]; then
  exec <<ua_hooks_pairs
$ua_pairs
ua_hooks_pairs
fi
# <<< ua-hooks <<<
