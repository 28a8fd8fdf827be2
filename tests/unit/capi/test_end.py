"""A program that frees nothing and returns while work is under way."""

SOURCE = r"""
#include <mxnet/c_api.h>
#include <mxnet/c_predict_api.h>
#include <nnvm/c_api.h>
#include <chrono>
#include <cstdio>
#include <thread>

static void work(void *, void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::puts("worked");
}

static void forget(void *) { std::puts("deleted"); }

int main(int, char **argv) {
    mx_uint shape[] = {4}, begins[] = {0, 1};
    float values[] = {1, 2, 3, 4};
    const char *name = "data", *json;
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
