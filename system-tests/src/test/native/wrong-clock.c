/*
 * Preloaded into a process, gives it a wrong time of day: off by as many seconds as the file named
 * by WRONG_CLOCK says, eight bytes in the order of the machine, which may change at any time. The
 * counter of elapsed time is left as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *error_seconds;
static int (*system_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void open_error(void) {
  const char *name = getenv("WRONG_CLOCK");
  int file = name == NULL ? -1 : open(name, O_RDONLY);
  void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    abort();
  }
  close(file);
  system_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  error_seconds = mapped;
}

int clock_gettime(clockid_t id, struct timespec *time) {
  if (system_clock == NULL || error_seconds == NULL) {
    return (int)syscall(SYS_clock_gettime, id, time);
  }
  int failed = system_clock(id, time);
  if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += *error_seconds;
  }
  return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}
