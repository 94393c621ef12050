#!/usr/bin/python3
"""A folder as macOS has it: `folding.py <folder with the files> <mount point>`. A name is found in any case and in any Unicode form, and
keeps the form that it was made with. Stays in the foreground; ends when it is unmounted. On Debian: apt-get install python3-fusepy fuse."""

import errno
import os
import sys
import unicodedata

from fusepy import FUSE, FuseOSError, Operations


def fold(name):
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


class Folding(Operations):
    use_ns = True  # times in nanoseconds

    def __init__(self, root):
        self.root = root

    def real(self, path):
        """The path of what is there by another form of its name; the last part may be new."""
        at = self.root
        for part in path.split("/"):
            if part == "":
                continue
            exact = os.path.join(at, part)
            if os.path.lexists(exact):
                at = exact
                continue
            try:
                names = [name for name in os.listdir(at) if fold(name) == fold(part)]
            except OSError:
                names = []
            at = os.path.join(at, names[0]) if names else exact
        return at

    def getattr(self, path, fh=None):
        st = os.fstat(fh) if fh else os.lstat(self.real(path))
        keys = ("mode", "nlink", "uid", "gid", "size", "ino", "rdev", "blocks")
        times = {f"st_{which}time": getattr(st, f"st_{which}time_ns") for which in "amc"}
        return {**{f"st_{key}": getattr(st, f"st_{key}") for key in keys}, **times}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.real(path))]

    def create(self, path, mode, fi=None):
        return os.open(self.real(path), os.O_RDWR | os.O_CREAT, mode)

    def open(self, path, flags):
        return os.open(self.real(path), flags & ~os.O_NOFOLLOW & ~os.O_APPEND & ~os.O_DIRECT)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(fh if fh else self.real(path), length)

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def access(self, path, mode):
        if not os.access(self.real(path), mode):
            raise FuseOSError(errno.EACCES)

    def rename(self, old, new):
        """To another form of its own name, too: then the name itself is what is wanted."""
        source, target = self.real(old), self.real(new)
        if source == target:
            target = os.path.join(os.path.dirname(target), os.path.basename(new))
        os.rename(source, target)

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def chown(self, path, uid, gid):
        os.lchown(self.real(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self.real(path), ns=times, follow_symlinks=False)

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)

    def rmdir(self, path):
        os.rmdir(self.real(path))

    def unlink(self, path):
        os.unlink(self.real(path))

    def link(self, target, source):
        os.link(self.real(source), self.real(target))

    def symlink(self, target, source):
        os.symlink(source, self.real(target))

    def readlink(self, path):
        return os.readlink(self.real(path))

    def mknod(self, path, mode, dev):
        os.mknod(self.real(path), mode, dev)

    def statfs(self, path):
        st = os.statvfs(self.root)
        keys = ("bavail", "bfree", "blocks", "bsize", "favail", "ffree", "files", "flag", "frsize", "namemax")
        return {f"f_{key}": getattr(st, f"f_{key}") for key in keys}


if __name__ == "__main__":
    # The kernel must not keep one form of a name when another one was renamed or removed; what is removed is gone, also while it is open.
    options = {"foreground": True, "nothreads": True, "use_ino": True, "hard_remove": True, "entry_timeout": 0, "attr_timeout": 0}
    FUSE(Folding(os.path.realpath(sys.argv[1])), sys.argv[2], **options)
