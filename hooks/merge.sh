# ua-hooks: what git runs to merge an artefact, as `sh merge.sh <base> <ours> <theirs> <path>` (gitattributes(5), "Defining
# a custom merge driver"). The result goes into <ours>. If the program cannot run, git's own text merge is used.
ua_state=${0%/*}
ua_node= ua_entry= ua_mode=
{ { read -r ua_node && read -r ua_entry && read -r ua_mode; } <"$ua_state/env"; } 2>/dev/null
case $ua_entry in
  /*) ;;
  *) ua_entry=$ua_state/../$ua_entry ;;
esac
[ -x "$ua_node" ] || ua_node=$(command -v node)
case $ua_node in # a relative folder of PATH, or npm's, is one that a checkout can fill
  */node_modules/.bin/*) ua_node= ;;
  /*) ;;
  *) ua_node= ;;
esac

if [ -n "$ua_node" ] && [ -f "$ua_entry" ]; then
  unset NODE_OPTIONS NODE_EXTRA_CA_CERTS
  "$ua_node" "$ua_entry" merge "$@" </dev/null
  case $? in
    0) exit 0 ;;
    1) exit 1 ;; # one side cannot be read: the file has conflict markers, and the user decides
  esac
fi
exec git merge-file -L ours -L base -L theirs "$2" "$1" "$3"
