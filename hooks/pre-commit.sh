#!/bin/sh
# What a `repo:` entry for this repository runs (.pre-commit-hooks.yaml), from pre-commit's own checkout of it: passes the event
# ($1) and the variables that pre-commit makes of git's arguments to the clone's ua-hooks. In a clone without ua-hooks it does
# nothing.
ua_common=$(git rev-parse --git-common-dir 2>/dev/null) || exit 0
[ -r "$ua_common/ua-hooks/entry.sh" ] || exit 0
case ${1-} in
  post-merge) set -- "$1" "${PRE_COMMIT_IS_SQUASH_MERGE-}" ;;
  post-checkout) set -- "$1" "${PRE_COMMIT_FROM_REF-}" "${PRE_COMMIT_TO_REF-}" "${PRE_COMMIT_CHECKOUT_TYPE-}" ;;
  post-rewrite) set -- "$1" "${PRE_COMMIT_REWRITE_COMMAND-}" ;;
  post-commit) ;;
  *) exit 0 ;;
esac
ua_slot=pre-commit
. "$ua_common/ua-hooks/entry.sh"
