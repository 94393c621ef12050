# ua-hooks: what git runs to merge an artefact, as `sh merge.sh <base> <ours> <theirs> <path>` (gitattributes(5), "Defining
# a custom merge driver"). The result goes into <ours>. The program writes it beside <ours>, and leaves <ours> as it is: whatever happens
# to the program, git's own text merge can still be used, and is used once.
ua_state=${0%/*}
ua_node=''
ua_entry=''
ua_mode=''
{ { read -r ua_node && read -r ua_entry && read -r ua_mode; } <"$ua_state/env"; } 2>/dev/null
case $ua_entry in
  /* | ?:/*) ;;
  *) ua_entry=$ua_state/../$ua_entry ;;
esac
ua_looked=
[ -x "$ua_node" ] || { ua_looked=yes ua_node=$(command -v node); }
case $ua_node in # a relative folder of PATH, npm's, or one of the work tree is one that a checkout can fill
  */node_modules/.bin/*) ua_node= ;;
  /* | ?:/*) ;;
  *) ua_node= ;;
esac
if [ -n "$ua_looked" ] && [ -n "$ua_node" ]; then
  ua_main=${ua_state%/.git/ua-hooks} ua_top=$(pwd -P)
  while [ -n "$ua_top" ] && [ ! -e "$ua_top/.git" ]; do ua_top=${ua_top%/*}; done
  case $(CDPATH= cd -P -- "${ua_node%/*}/" && pwd -P)/ in
    "${ua_top:-/.git}"/* | "${ua_main:-/.git}"/*) ua_node= ;;
  esac
fi

if [ -n "$ua_node" ] && [ -f "$ua_entry" ]; then
  unset NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE
  ua_merged=$2.merged
  "$ua_node" "$ua_entry" merge "$@" "$ua_merged" </dev/null
  # 96: merged. No Node ends with this by itself: 0 is also an empty program, 1 also an error in it.
  [ $? = 96 ] && [ -s "$ua_merged" ] && mv -f "$ua_merged" "$2" && exit 0
  # What a program that was killed had begun, too: it is in the work tree.
  ua_dir=.
  case $ua_merged in */*) ua_dir=${ua_merged%/*} ;; esac
  rm -f "$ua_merged" "$ua_dir/.${ua_merged##*/}".*.tmp
fi
git merge-file -L ours -L base -L theirs "$2" "$1" "$3" && exit 0
exit 1 # a conflict; a status above 128 (a binary file) would end the whole merge
