// graph.cc: capture and graphs. What is put on a stream that is captured goes into a graph and does
// not run; a launch of the graph puts it all on a stream again, with the arguments of the capture.
// As in the driver, a capture belongs to a thread and is lost when that thread makes a call that
// waits or changes memory.
#include "driver.h"
#include <set>

using namespace fake;

struct Graph {
  std::list<Work> work;
  int pending = 0; // launches that have not ended
};

static std::set<Graph *> graphs, execs;

std::string fake::graph_leaks() {
  if (graphs.empty() && execs.empty()) return "";
  return std::to_string(graphs.size() + execs.size()) + " graphs were never destroyed";
}

bool fake::spoil_captures() {
  bool spoiled = false;
  each_stream([&](Stream *s) {
    if (!s->capture || s->capture->mode == RELAXED || (s->capture->mode == THREAD_LOCAL && s->capture->thread != std::this_thread::get_id())) return;
    spoiled = s->capture->lost = true;
  });
  return spoiled;
}

API cuStreamBeginCapture_v2(Stream *s, int mode) {
  ENTER
  if (!setting("EMU_GRAPHS", 1)) return NOT_FOUND; // the answer of the shim for what a driver lacks
  if (!s) return refuse(CAPTURE_UNSUPPORTED, __func__, "the NULL stream cannot be captured");
  if (s->capture) return refuse(ILLEGAL_STATE, __func__, "the stream is captured already");
  s->capture = new Capture{{}, mode, std::this_thread::get_id(), false};
  return OK;
}
API cuStreamEndCapture(Stream *s, Graph **g) {
  ENTER
  *g = nullptr;
  if (!s || !s->capture) return refuse(ILLEGAL_STATE, __func__, "the stream is not captured");
  if (s->capture->mode != RELAXED && s->capture->thread != std::this_thread::get_id())
    return refuse(CAPTURE_WRONG_THREAD, __func__, "another thread began this capture");
  bool lost = s->capture->lost;
  if (!lost) graphs.insert(*g = new Graph{std::move(s->capture->work)});
  delete s->capture;
  s->capture = nullptr;
  return lost ? refuse(CAPTURE_INVALIDATED, __func__, "a call during the capture has spoiled it") : (int)OK;
}
API cuGraphInstantiateWithFlags(Graph **exec, Graph *g, unsigned long long) {
  ENTER
  if (!graphs.count(g)) return refuse(INVALID_VALUE, __func__, "not a graph");
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
