# ua-hooks: what coding agents run, as `sh agent.sh <client> <event>` with the client's JSON on stdin. It prints one answer or
# nothing on stdout, nothing on stderr, and always exits with 0.
[ "${UA_HOOKS-}" != 0 ] || exit 0
ua_state=${0%/*}
ua_node=''
ua_entry=''
{ { read -r ua_node && read -r ua_entry; } <"$ua_state/env"; } 2>/dev/null || exit 0
case $ua_entry in
  /* | ?:/*) ;;
  *) ua_entry=$ua_state/../$ua_entry ;; # a relative path starts at the git common dir
esac
ua_entry=${ua_entry%/*}/agent.cjs
[ -f "$ua_entry" ] || exit 0
ua_looked=
[ -x "$ua_node" ] || { ua_looked=yes ua_node=$(command -v node); } || exit 0
case $ua_node in # a relative folder of PATH, npm's, or one of the work tree is one that a checkout can fill
  */node_modules/.bin/*) exit 0 ;;
  /* | ?:/*) ;;
  *) exit 0 ;;
esac
if [ -n "$ua_looked" ] && [ -n "$ua_node" ]; then
  ua_main=${ua_state%/.git/ua-hooks} ua_top=$(pwd -P)
  while [ -n "$ua_top" ] && [ ! -e "$ua_top/.git" ]; do ua_top=${ua_top%/*}; done
  case $(CDPATH= cd -P -- "${ua_node%/*}/" && pwd -P)/ in
    "${ua_top:-/.git}"/* | "${ua_main:-/.git}"/*) exit 0 ;;
  esac
fi
# Options and certificates of the caller's shell are not for us; the certificates cost Node 20 55 ms at every start.
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE
exec 2>/dev/null # also the message of sh itself if Node is killed
"$ua_node" "$ua_entry" "$@" || rm -rf "$ua_state/code" # see shim.sh
exit 0
