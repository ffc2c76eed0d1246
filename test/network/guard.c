/*
 * Refuses every connection and every lookup of a name outside this machine, and writes a line about
 * it to the file that KITH_NETWORK_LOG names. Loaded into each process of the tests by LD_PRELOAD, so
 * that native libraries are covered as well as JavaScript.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/** One line: what was asked for, and the command line of the process. */
static void record(const char *call, const char *target) {
  const char *name = getenv("KITH_NETWORK_LOG");
  if (!name) return;
  char command[300] = "";
  int self = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = self < 0 ? 0 : read(self, command, sizeof command - 1);
  if (self >= 0) close(self);
  for (ssize_t i = 0; i + 1 < length; i++)
    if (command[i] == '\0' || command[i] == '\n') command[i] = ' ';
  char line[700];
  int size = snprintf(line, sizeof line, "%s %s by %s\n", call, target, command);
  int log = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (log < 0) return;
  if (write(log, line, (size_t)size) < 0) perror(name);
  close(log);
}

/** Whether an address is on this machine; port 53 is a lookup, which may leave it from there. */
static int is_local(const struct sockaddr *address) {
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    unsigned first = ntohl(v4->sin_addr.s_addr) >> 24;
    return (first == 127 || v4->sin_addr.s_addr == 0) && v4->sin_port != htons(53);
  }
  if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    const struct in6_addr *ip = &v6->sin6_addr;
    int mapped = IN6_IS_ADDR_V4MAPPED(ip) && ip->s6_addr[12] == 127;
    int local = IN6_IS_ADDR_LOOPBACK(ip) || IN6_IS_ADDR_UNSPECIFIED(ip) || mapped;
    return local && v6->sin6_port != htons(53);
  }
  return 1;
}

static int refuse(const char *call, const struct sockaddr *address) {
  char ip[INET6_ADDRSTRLEN] = "?", target[INET6_ADDRSTRLEN + 20];
  int v4 = address->sa_family == AF_INET;
  const void *from = v4 ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
                        : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;
  inet_ntop(address->sa_family, from, ip, sizeof ip);
  // The port has one place in both kinds of addresses.
  snprintf(target, sizeof target, "%s port %d", ip,
           ntohs(((const struct sockaddr_in *)address)->sin_port));
  record(call, target);
  errno = ENETUNREACH;
  return -1;
}

/** Whether a host needs no lookup: none, an address, or this machine by name. */
static int needs_no_lookup(const char *host) {
  char own[256] = "", ip[sizeof(struct in6_addr)];
  gethostname(own, sizeof own - 1);
  return !host || !*host || inet_pton(AF_INET, host, ip) == 1 || strchr(host, ':') ||
         strcasecmp(host, "localhost") == 0 || strcasecmp(host, own) == 0;
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
  static int (*real)(int, const struct sockaddr *, socklen_t);
  if (!real) real = dlsym(RTLD_NEXT, "connect");
  return is_local(address) ? real(socket, address, length) : refuse("connect", address);
}

ssize_t sendto(int socket, const void *data, size_t size, int flags,
               const struct sockaddr *address, socklen_t length) {
  static ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
  if (!real) real = dlsym(RTLD_NEXT, "sendto");
  if (address && !is_local(address)) return refuse("sendto", address);
  return real(socket, data, size, flags, address, length);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  static ssize_t (*real)(int, const struct msghdr *, int);
  if (!real) real = dlsym(RTLD_NEXT, "sendmsg");
  const struct sockaddr *address = message->msg_name;
  return address && !is_local(address) ? refuse("sendmsg", address) : real(socket, message, flags);
}

int sendmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags) {
  static int (*real)(int, struct mmsghdr *, unsigned, int);
  if (!real) real = dlsym(RTLD_NEXT, "sendmmsg");
  for (unsigned i = 0; i < count; i++) {
    const struct sockaddr *address = messages[i].msg_hdr.msg_name;
    if (address && !is_local(address)) return refuse("sendmmsg", address);
  }
  return real(socket, messages, count, flags);
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
  static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  if (!real) real = dlsym(RTLD_NEXT, "getaddrinfo");
  if (needs_no_lookup(host)) return real(host, service, hints, found);
  record("getaddrinfo", host);
  return EAI_NONAME;
}

struct hostent *gethostbyname(const char *host) {
  static struct hostent *(*real)(const char *);
  if (!real) real = dlsym(RTLD_NEXT, "gethostbyname");
  if (needs_no_lookup(host)) return real(host);
  record("gethostbyname", host);
  h_errno = HOST_NOT_FOUND;
  return NULL;
}
