// For the musl bed (musl.sh): what a musl Node needs of a newer C++ library, and what Debian's C++ library needs of glibc. Alpine's own
// library needs none of it.
#include <link.h>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

extern "C" {
char __libc_single_threaded = 0;
struct { unsigned values[4]; } __cpu_model; // no CPU features: the plain variants are used
int __cpu_indicator_init() { return 0; }
int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) { return 0; } // objects of a thread are not destroyed at its end
size_t __strftime_l(char *to, size_t most, const char *format, const struct tm *time, locale_t) {
  return strftime(to, most, format, time);
}
int getentropy(void *to, size_t size);
uint32_t arc4random() {
  uint32_t value = 0;
  getentropy(&value, sizeof value);
  return value;
}

// How the unwinder finds the tables of a program counter: by the list of loaded files.
struct question { uintptr_t at; struct dl_find_object *answer; };
static int look(struct dl_phdr_info *info, size_t, void *data) {
  auto *question = static_cast<struct question *>(data);
  const ElfW(Phdr) *tables = nullptr, *around = nullptr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && question->at >= start && question->at < start + part->p_memsz) around = part;
    if (part->p_type == PT_GNU_EH_FRAME) tables = part;
  }
  if (around == nullptr || tables == nullptr) return 0;
  auto *answer = question->answer;
  answer->dlfo_flags = 0;
  answer->dlfo_map_start = reinterpret_cast<void *>(info->dlpi_addr + around->p_vaddr);
  answer->dlfo_map_end = static_cast<char *>(answer->dlfo_map_start) + around->p_memsz;
  answer->dlfo_link_map = nullptr;
  answer->dlfo_eh_frame = reinterpret_cast<void *>(info->dlpi_addr + tables->p_vaddr);
  return 1;
}
int _dl_find_object(void *at, struct dl_find_object *answer) noexcept {
  struct question question = {reinterpret_cast<uintptr_t>(at), answer};
  return dl_iterate_phdr(look, &question) == 1 ? 0 : -1;
}

// std::string::_M_replace_cold of GCC 13: replaces `size` bytes at `to` by bytes that may be part of the same string. `rest` follow.
void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm(
    std::string *, char *to, size_t size, const char *from, size_t count, size_t rest) {
  std::string copy(from, count);
  if (rest != 0 && size != count) memmove(to + count, to + size, rest);
  memcpy(to, copy.data(), count);
}
}
