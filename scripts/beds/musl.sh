#!/bin/sh
# Makes a small root folder like Alpine's for beds.mjs: `sh scripts/beds/musl.sh <folder>`. Node is a musl program, sh and tools are
# BusyBox; git is Debian's own, with glibc, since Debian has no other. Needs, on Debian: busybox musl patchelf g++ npm, and root.
set -eu
into=$1
here=$(cd "$(dirname "$0")" && pwd)
musl=/lib/ld-musl-$(uname -m).so.1
mkdir -p "$into/bin" "$into/lib" "$into/usr/bin" "$into/usr/lib" "$into/dev" "$into/proc" "$into/tmp" "$into/download"

# pnpm's package for musl is one program with Node inside. With this mark off it is that Node, and no longer starts pnpm.
(cd "$into/download" && npm pack --silent @pnpm/linuxstatic-x64@11.21.0 >/dev/null && tar xzf pnpm-*.tgz package/pnpm)
sed 's/\(NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2\):1/\1:0/' "$into/download/package/pnpm" >"$into/usr/bin/node"
chmod +x "$into/usr/bin/node"
rm -r "$into/download"

# musl, and Debian's C++ library with what it lacks there.
cp -L "$musl" "$into$musl"
ln -sf "$musl" "$into/lib/libc.musl-$(uname -m).so.1"
ln -sf "$musl" "$into/usr/lib/ld-linux-x86-64.so.2"
g++ -shared -fPIC -O1 -o "$into/usr/lib/compat.so" "$here/musl-compat.cpp"
for library in libstdc++.so.6 libgcc_s.so.1; do cp -L "/usr/lib/$(uname -m)-linux-gnu/$library" "$into/usr/lib/"; done
patchelf --add-needed compat.so "$into/usr/lib/libstdc++.so.6"

# Programs of this machine, each with its libraries.
for program in busybox git; do
  cp -L "$(command -v $program)" "$into/bin/$program"
  ldd "$(command -v $program)" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$into$(dirname "$library")"
    cp -L "$library" "$into$library"
  done
done
mkdir -p "$into/usr/lib/git-core" "$into/usr/share/git-core/templates"
for applet in $(busybox --list); do [ -e "$into/bin/$applet" ] || ln -s busybox "$into/bin/$applet"; done
chroot "$into" /usr/bin/node --version
