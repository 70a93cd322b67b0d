// stream.cc: streams and events. Work on a stream does not run until a call waits for it, so that a missing wait shows
// as a wrong result.
#include "driver.h"
#include <cstdlib>
#include <memory>

using namespace fake;

static std::list<Stream *> streams;

int fake::drain(Stream *s) {
  while (!s->queue.empty()) {
    Work w = std::move(s->queue.front());
    s->queue.pop_front();
    if (int r = w()) return sticky = r;
  }
  return OK;
}

int fake::drain_all() {
  for (Stream *s : streams)
    if (int r = drain(s)) return r;
  return OK;
}

int fake::submit(Stream *s, Work w) {
  if (s && s->capture) {
    s->capture->put(std::move(w));
    return OK;
  }
  if (s && !getenv("EMU_EAGER")) {
    s->queue.push_back(std::move(w));
    return OK;
  }
  const unsigned non_blocking = 1;
  if (!s)
    for (Stream *other : streams)
      if (!(other->flags & non_blocking))
        if (int r = drain(other)) return r;
  int r = w();
  if (r) sticky = r;
  return r;
}

void fake::each_stream(const std::function<void(Stream *)> &f) {
  for (Stream *s : streams) f(s);
}

API cuStreamCreate(Stream **s, unsigned flags) {
  ENTER
  *s = new Stream{flags, {}, nullptr};
  streams.push_back(*s);
  return OK;
}
API cuStreamDestroy_v2(Stream *s) {
  ENTER
  NOT_CAPTURED(s)
  int r = drain(s);
  streams.remove(s);
  delete s;
  return r;
}
API cuStreamSynchronize(Stream *s) {
  ENTER
  NOT_CAPTURED(s)
  return s ? drain(s) : drain_all();
}

// A function of the host, which runs in the order of the stream. It must not call the driver.
API cuLaunchHostFunc(Stream *s, void (*function)(void *), void *data) {
  ENTER
  return submit(s, [=] {
    function(data);
    return (int)OK;
  });
}

// A record of an event. A wait is for the record before it, whatever is recorded later.
struct Record {
  Stream *on;
  bool pending;
};

struct Event {
  std::shared_ptr<Record> last = std::make_shared<Record>();
  int capture = 0; // number of the last record's capture, or 0
  size_t after = 0; // amount of the capture's work before the record
};

static int reach(const std::shared_ptr<Record> &r) {
  while (r->pending && r->on && !r->on->queue.empty()) {
    Work w = std::move(r->on->queue.front());
    r->on->queue.pop_front();
    if (int failed = w()) return sticky = failed;
  }
  return OK;
}

API cuEventCreate(Event **e, unsigned) {
  ENTER
  *e = new Event{};
  return OK;
}
API cuEventDestroy_v2(Event *e) {
  delete e;
  return OK;
}
API cuEventRecord(Event *e, Stream *s) {
  ENTER
  e->capture = s && s->capture ? s->capture->number : 0;
  if (e->capture) {
    e->after = s->capture->own;
    return OK;
  }
  auto r = e->last = std::make_shared<Record>(Record{s, true});
  return submit(s, [r] {
    r->pending = false;
    return (int)OK;
  });
}
API cuStreamWaitEvent(Stream *s, Event *e, unsigned) {
  ENTER
  if (e->capture) return wait_captured(s, e->capture, e->after);
  NOT_CAPTURED(s)
  return submit(s, [r = e->last] { return reach(r); });
}
