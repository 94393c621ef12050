#!/bin/sh
# ua-hooks: the commands, run by this clone's own copy of the program. `<git common dir>/ua-hooks/bin/ua-hooks <command>`, or the
# same after `sh` where files here cannot be executed. It needs neither PATH nor a package, and nothing of a checkout.
ua_state=${0%/*}/..
[ "${0%/*}" != "$0" ] || ua_state=..
ua_node=
{ IFS= read -r ua_node <"$ua_state/env"; } 2>/dev/null || :
if [ ! -f "$ua_state/runtime/cli.cjs" ]; then
  echo "ua-hooks: $0 has no program beside it; run it by its own path, or install ua-hooks again" >&2
  exit 3
fi
ua_looked=
[ -x "$ua_node" ] || { ua_looked=yes ua_node=$(command -v node); } || :
case $ua_node in # a relative folder of PATH, npm's, or one of the work tree is one that a checkout can fill
  */node_modules/.bin/*) ua_node= ;;
  /* | ?:/*) ;;
  *) ua_node= ;;
esac
if [ -n "$ua_looked" ] && [ -n "$ua_node" ]; then
  ua_main=${0%/.git/ua-hooks/bin/*} ua_top=$(pwd -P)
  while [ -n "$ua_top" ] && [ ! -e "$ua_top/.git" ]; do ua_top=${ua_top%/*}; done
  case $(CDPATH= cd -P -- "${ua_node%/*}/" && pwd -P)/ in
    "${ua_top:-/.git}"/* | "${ua_main:-/.git}"/*) ua_node= ;;
  esac
fi
if [ -z "$ua_node" ]; then
  echo "ua-hooks: there is no node; install Node 20.17 or later" >&2
  exit 6
fi
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE
exec "$ua_node" "$ua_state/runtime/cli.cjs" "$@"
