"""Ends of programs: with nothing freed, and with threads in the middle of calls."""

import os
import signal
import subprocess
import sys

import pytest

SOURCE = r"""
#include <mxnet/c_api.h>
#include <mxnet/c_predict_api.h>
#include <nnvm/c_api.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

static void work(void *, void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::puts("worked");
}

static void forget(void *) { std::puts("deleted"); }

int main(int, char **argv) {
    mx_uint shape[] = {4}, begins[] = {0, 1};
    float values[] = {1, 2, 3, 4};
    const char *name = "data", *json, *blas_threads = getenv("OPENBLAS_NUM_THREADS");
    NDArrayHandle array;
    SymbolHandle symbol;
    PredictorHandle predictor;
    RecordIOHandle writer;
    if (MXNDArrayCreate(shape, 1, 1, 0, 0, &array)) return 1;
    if (MXSymbolCreateVariable(name, &symbol)) return 2;
    if (MXSymbolSaveToJSON(symbol, &json)) return 3;
    if (MXPredCreate(json, nullptr, 0, 1, 0, 1, &name, begins, shape, &predictor)) return 4;
    if (MXPredSetInput(predictor, "data", values, 4)) return 5;
    if (MXPredForward(predictor)) return 6;
    if (MXRecordIOWriterCreate(argv[1], &writer)) return 7;
    if (!blas_threads && getenv("OPENBLAS_NUM_THREADS")) return 9;
    if (MXRecordIOWriterWriteRecord(writer, "abcd", 4)) return 8;
    std::thread([=] {
        float found[4];
        if (!MXPredGetOutput(predictor, 0, found, 4)) std::printf("%g\n", found[3]);
    }).join();
    return MXEnginePushSyncND(work, nullptr, forget, nullptr, nullptr, 0, &array, 1);
}
"""


def test_what_is_under_way_is_finished(program, tmp_path):
    source, records = tmp_path / "end.cc", tmp_path / "end.rec"
    source.write_text(SOURCE)
    assert program(source, records) == "4\nworked\ndeleted\n"
    assert records.stat().st_size == 12


# A network whose threads predict, train or add up until the process is gone.
BUSY = r"""
#include <mxnet/c_api.h>
#include <mxnet/c_predict_api.h>
#include <nnvm/c_api.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <atomic>
#include <thread>
#include <vector>

static const char *const NET =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"weight\", \"inputs\": []},"
    "{\"op\": \"Convolution\", \"name\": \"conv\", \"inputs\": [[0, 0, 0], [1, 0, 0]],"
    "\"attrs\": {\"kernel\": \"(3, 3)\", \"num_filter\": \"16\", \"no_bias\": \"1\"}}],"
    "\"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]]}";
static uint32_t image[] = {2, 3, 32, 32}, weight[] = {16, 3, 3, 3};
static std::atomic<bool> stopped(false);
static std::atomic<int> runs(0);

static int predict() {
    const char *name = "data";
    uint32_t begins[] = {0, 4};
    std::vector<float> pixels(2 * 3 * 32 * 32, 1), kernel(16 * 3 * 3 * 3, 1);
    PredictorHandle predictor;
    if (MXPredCreate(NET, nullptr, 0, 1, 0, 1, &name, begins, image, &predictor)) return 1;
    if (MXPredSetInput(predictor, "weight", kernel.data(), kernel.size())) return 2;
    for (; !stopped; ++runs) {
        if (MXPredSetInput(predictor, name, pixels.data(), pixels.size())) return 2;
        if (MXPredForward(predictor)) return 3;
    }
    return MXPredFree(predictor);
}

static int train() {
    SymbolHandle net;
    NDArrayHandle values[2], gradients[2];
    uint32_t requests[] = {1, 1};
    ExecutorHandle executor;
    if (MXSymbolCreateFromJSON(NET, &net)) return 1;
    for (NDArrayHandle *arrays : {values, gradients})
        if (MXNDArrayCreate(image, 4, 1, 0, 0, &arrays[0])
            || MXNDArrayCreate(weight, 4, 1, 0, 0, &arrays[1]))
            return 2;
    if (MXExecutorBind(net, 1, 0, 2, values, gradients, requests, 0, nullptr, &executor)) return 3;
    uint32_t count;
    NDArrayHandle *outputs;
    for (; !stopped; ++runs) {
        if (MXExecutorForward(executor, 1) || MXExecutorOutputs(executor, &count, &outputs))
            return 4;
        if (MXExecutorBackward(executor, 1, outputs) || MXNDArrayFree(outputs[0])) return 5;
    }
    return MXExecutorFree(executor);
}

static int add(int times) {
    NDArrayHandle in[2];
    OpHandle op;
    if (NNGetOpHandle("elemwise_add", &op)) return 1;
    for (NDArrayHandle &each : in)
        if (MXNDArrayCreate(weight, 4, 1, 0, 0, &each)) return 2;
    for (; times > 0 && !stopped; --times, ++runs) {
        int n = 0;
        NDArrayHandle *out = nullptr;
        if (MXImperativeInvoke(op, 2, in, &n, &out, 0, nullptr, nullptr)) return 3;
        if (MXNDArrayFree(out[0])) return 4;
    }
    return MXNDArrayFree(in[0]) || MXNDArrayFree(in[1]);
}

struct Pool {
    std::vector<std::thread> threads;

    void start(int count) {
        for (int i = 0; i < count; ++i)
            threads.emplace_back([i] { i % 3 == 0 ? predict() : i % 3 == 1 ? train() : add(1 << 30); });
        while (runs < 50) usleep(1000);
    }

    void leave() {
        for (std::thread &each : threads) each.detach();
        threads.clear();
    }

    void join() {
        stopped = true;
        for (std::thread &each : threads) each.join();
        threads.clear();
    }

    ~Pool() { join(); }
} pool;

static int child() {
    const pid_t process = fork();
    if (process == 0) {
        alarm(60);
        pool.leave();  // which are the parent's
        exit(add(10));
    }
    int status;
    return waitpid(process, &status, 0) != process || status != 0;
}

static NDArrayHandle kept;

int main(int, char **argv) {
    const char *end = argv[1];
    if (!strcmp(end, "at exit")) {
        atexit([] { if (MXNDArrayFree(kept) || MXNDArrayWaitAll()) _exit(1); });
        return MXNDArrayCreate(weight, 4, 1, 0, 0, &kept);
    }
    if (!strcmp(end, "first call")) {
        std::thread([] { usleep(1000); add(1); }).detach();
        return 0;
    }
    if (!strcmp(end, "fork at the start")) {
        std::thread([] { add(1); }).detach();
        usleep(200000);
        return child();
    }
    if (!strcmp(end, "close")) {
        void *library = dlopen("libmxnet.so", RTLD_NOW | RTLD_NOLOAD);
        return add(1) || dlclose(library) || dlclose(library) || add(1);
    }
    pool.start(8);
    if (!strcmp(end, "fork")) return child() || child() || child();
    if (!strcmp(end, "join")) return 0;
    pool.leave();
    if (!strcmp(end, "thread")) std::thread([] { exit(add(1)); }).join();
    return 0;
}
"""


@pytest.fixture(scope="module")
def busy(built, tmp_path_factory):
    """Runs the program with one of its ends."""
    folder = tmp_path_factory.mktemp("busy")
    (folder / "busy.cc").write_text(BUSY)
    command = ["c++", "-std=c++17", str(folder / "busy.cc"), "-o", str(folder / "busy")]
    subprocess.run([*command, "-pthread", *built.links.split()], check=True, timeout=120)

    def busy(end):
        environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
        environment.pop("OMP_NUM_THREADS", None)  # as many threads as libraries want
        process = subprocess.Popen(
            [str(folder / "busy"), end], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            output, errors = process.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # its threads say where they are
            output, errors = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    return busy


ENDS = ["return", "thread", "join", "fork", "fork at the start", "first call", "at exit", "close"]


@pytest.mark.parametrize("end", ENDS)
def test_ends_cleanly(busy, end):
    done = busy(end)
    assert (done.returncode, done.stderr) == (0, "")


DAEMONS = """
import ctypes, sys, threading, time
library, runs = ctypes.CDLL(sys.argv[1]), []
shape, op = (ctypes.c_uint32 * 2)(64, 64), ctypes.c_void_p()
library.NNGetOpHandle(b"dot", ctypes.byref(op))

def work():
    arrays = (ctypes.c_void_p * 2)()
    for i in range(2):
        library.MXNDArrayCreate(shape, 2, 1, 0, 0, ctypes.byref(arrays, 8 * i))
    while True:
        count, out = ctypes.c_int(), ctypes.POINTER(ctypes.c_void_p)()
        places = ctypes.byref(count), ctypes.byref(out)
        if library.MXImperativeInvoke(op, 2, arrays, *places, 0, None, None):
            raise RuntimeError
        library.MXNDArrayFree(ctypes.c_void_p(out[0]))
        runs.append(1)

for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
while len(runs) < 100:
    time.sleep(0.01)
print("ends")
"""


def test_python_ends_while_its_threads_are_inside(built):
    command = [sys.executable, "-c", DAEMONS, str(built.library)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")
