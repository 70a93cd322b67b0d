// graph.cc: capture and graphs. Work on a captured stream goes into a graph and does not run. A launch of the graph
// puts all its work on a stream, with the arguments of the capture. As in the driver, a capture belongs to a thread and
// is lost when that thread makes a call that waits or changes memory.
#include "driver.h"
#include <set>

using namespace fake;

struct Graph {
  std::vector<Work> work;
  int pending = 0; // number of launches that have not ended
};

static std::set<Graph *> graphs, execs;

std::string fake::graph_leaks() {
  if (graphs.empty() && execs.empty()) return "";
  return std::to_string(graphs.size() + execs.size()) + " graphs were never destroyed";
}

bool fake::spoil_captures() {
  bool spoiled = false;
  each_stream([&](Stream *s) {
    if (!s->capture || s->capture->mode == RELAXED ||
        (s->capture->mode == THREAD_LOCAL && s->capture->thread != std::this_thread::get_id()))
      return;
    spoiled = s->capture->lost = true;
  });
  return spoiled;
}

API cuStreamBeginCapture_v2(Stream *s, int mode) {
  ENTER
  if (!setting("EMU_GRAPHS", 1)) return NOT_FOUND; // the shim's answer where a driver lacks a function
  if (!s) return refuse(CAPTURE_UNSUPPORTED, __func__, "the NULL stream cannot be captured");
  if (s->capture) return refuse(ILLEGAL_STATE, __func__, "the stream is captured already");
  s->capture = new Capture(mode, std::this_thread::get_id(), nullptr);
  return OK;
}

// join makes work of another stream, up to a record there, part of the origin's: at this place or, with EMU_EARLY, as
// early as possible, behind its dependencies and the guests before it.
static void join(Capture &origin, Capture &other, size_t until) {
  for (; other.met < until; other.met++) {
    const Captured &c = other.work[other.met];
    auto at = origin.work.end();
    if (setting("EMU_EARLY", 0)) {
      at = origin.work.begin();
      for (size_t own = 0; at != origin.work.end() && (own < c.after || at->guest); at++) own += !at->guest;
    }
    origin.work.insert(at, {c.work, 0, true});
  }
  other.apart = other.met < other.own;
}

int fake::wait_captured(Stream *s, int capture, size_t after) {
  Stream *first = nullptr;
  each_stream([&](Stream *other) {
    if (other->capture && other->capture->number == capture) first = other;
  });
  if (!s || !first)
    return refuse(CAPTURE_ISOLATION, __func__, "the event is of a capture that has ended, or the stream is NULL");
  if (s == first) return OK;
  Stream *origin = first->capture->origin ? first->capture->origin : first;
  if (s->capture && s != origin && s->capture->origin != origin)
    return refuse(CAPTURE_ISOLATION, __func__, "the stream is part of another capture");
  if (s == origin) {
    join(*s->capture, *first->capture, after);
    return OK;
  }
  if (first != origin) return refuse(CAPTURE_UNSUPPORTED, __func__, "this driver knows one stream beside the first");
  if (!s->capture) s->capture = new Capture(origin->capture->mode, origin->capture->thread, origin);
  s->capture->waited = after;
  s->capture->apart = true;
  return OK;
}
API cuStreamEndCapture(Stream *s, Graph **g) {
  ENTER
  *g = nullptr;
  if (!s || !s->capture) return refuse(ILLEGAL_STATE, __func__, "the stream is not captured");
  if (s->capture->mode != RELAXED && s->capture->thread != std::this_thread::get_id())
    return refuse(CAPTURE_WRONG_THREAD, __func__, "another thread began this capture");
  if (s->capture->origin) return refuse(ILLEGAL_STATE, __func__, "the capture began on another stream");
  bool lost = s->capture->lost, apart = false;
  each_stream([&](Stream *other) {
    if (!other->capture || other->capture->origin != s) return;
    lost |= other->capture->lost;
    apart |= other->capture->apart;
    delete other->capture;
    other->capture = nullptr;
  });
  if (!lost && !apart) {
    graphs.insert(*g = new Graph);
    for (Captured &c : s->capture->work) (*g)->work.push_back(std::move(c.work));
  }
  delete s->capture;
  s->capture = nullptr;
  if (lost) return refuse(CAPTURE_INVALIDATED, __func__, "a call during the capture has spoiled it");
  if (apart) return refuse(CAPTURE_UNJOINED, __func__, "a second stream has work that the first has not waited for");
  return OK;
}
API cuGraphInstantiateWithFlags(Graph **exec, Graph *g, unsigned long long) {
  ENTER
  if (!graphs.count(g)) return refuse(INVALID_VALUE, __func__, "not a graph");
  if (no_room("graph")) return OUT_OF_MEMORY;
  execs.insert(*exec = new Graph{g->work});
  return OK;
}
API cuGraphLaunch(Graph *exec, Stream *s) {
  ENTER
  if (!execs.count(exec)) return refuse(INVALID_VALUE, __func__, "not an executable graph, or destroyed");
  NOT_CAPTURED(s)
  if (int r = lose()) return r;
  for (Work &w : exec->work)
    if (int r = submit(s, w)) return r;
  exec->pending++;
  return submit(s, [exec] {
    exec->pending--;
    return (int)OK;
  });
}
API cuGraphExecDestroy(Graph *exec) {
  ENTER
  if (!execs.count(exec)) return refuse(INVALID_VALUE, __func__, "not an executable graph, or destroyed twice");
  if (exec->pending) return refuse(INVALID_VALUE, __func__, "a launch of the graph has not ended");
  execs.erase(exec);
  delete exec;
  return OK;
}
API cuGraphDestroy(Graph *g) {
  ENTER
  if (!graphs.erase(g)) return refuse(INVALID_VALUE, __func__, "not a graph, or destroyed twice");
  delete g;
  return OK;
}
