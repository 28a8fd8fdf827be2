/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program without Python does with the C interface, run as often as it is told to.
 *
 *     capi_client add | add-into
 *     capi_client predict SYMBOL PARAMS DATA CHANNELS HEIGHT WIDTH
 *
 * Each line of its input is a number of runs; it answers with an empty line when they are done. For
 * 0 runs it answers with the values of the last result.
 */
#include <mxnet/c_api.h>
#include <mxnet/c_predict_api.h>
#include <nnvm/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status) {
    if (status != 0) {
        fprintf(stderr, "capi_client: %s\n", MXGetLastError());
        exit(1);
    }
}

static void answer(const float *values, size_t size) {
    for (size_t i = 0; i < size; ++i) printf("%.9g ", values[i]);
    printf("\n");
    fflush(stdout);
}

/* Adding arrays of 10×10 ------------------------------------------------------------------------ */

enum { SIDE = 10, ELEMENTS = SIDE * SIDE };

static NDArrayHandle array_from(float first) {
    const uint32_t shape[] = {SIDE, SIDE};
    float values[ELEMENTS];
    NDArrayHandle array;
    for (int i = 0; i < ELEMENTS; ++i) values[i] = first + (float)i;
    check(MXNDArrayCreate(shape, 2, 1, 0, 0, &array));
    check(MXNDArraySyncCopyFromCPU(array, values, ELEMENTS));
    return array;
}

/* Runs it and gives the last result, which is `into` unless that is null. */
static NDArrayHandle added(OpHandle add, NDArrayHandle *inputs, NDArrayHandle into, long runs) {
    NDArrayHandle result = into;
    for (long i = 0; i < runs; ++i) {
        NDArrayHandle *outputs = into == NULL ? NULL : &into;
        int count = into == NULL ? 0 : 1;
        check(MXImperativeInvoke(add, 2, inputs, &count, &outputs, 0, NULL, NULL));
        if (into == NULL && i > 0) check(MXNDArrayFree(result));
        result = outputs[0];
    }
    check(MXNDArrayWaitToRead(result));
    return result;
}

static void serve_add(int has_output) {
    NDArrayHandle inputs[] = {array_from(1), array_from(2)}, into = NULL, result = NULL;
    float values[ELEMENTS];
    long runs;
    OpHandle add;
    check(NNGetOpHandle("elemwise_add", &add));
    if (has_output) into = array_from(0);
    while (scanf("%ld", &runs) == 1) {
        if (runs == 0) {
            check(MXNDArraySyncCopyToCPU(result, values, ELEMENTS));
            answer(values, ELEMENTS);
            continue;
        }
        if (result != into) check(MXNDArrayFree(result));
        result = added(add, inputs, into, runs);
        answer(values, 0);
    }
}

/* Predicting ------------------------------------------------------------------------------------ */

/* The bytes of a file, with a zero behind them. */
static char *content_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(*size + 1);
    if (content == NULL || fread(content, 1, *size, file) != *size) exit(1);
    content[*size] = 0;
    fclose(file);
    return content;
}

static PredictorHandle predictor_of(const char *symbol, const char *params, const uint32_t *shape) {
    const char *names[] = {"data"};
    const uint32_t begins[] = {0, 4};
    size_t symbol_size, params_size;
    char *json = content_of(symbol, &symbol_size), *bytes = content_of(params, &params_size);
    PredictorHandle made;
    check(MXPredCreate(json, bytes, (int)params_size, 1, 0, 1, names, begins, shape, &made));
    free(json);
    free(bytes);
    return made;
}

static void serve_predict(char **given) {
    uint32_t shape[4] = {1}, *output_shape, axes, size = 1;
    for (int i = 0; i < 3; ++i) shape[i + 1] = (uint32_t)strtoul(given[3 + i], NULL, 10);
    PredictorHandle predictor = predictor_of(given[0], given[1], shape);
    size_t bytes;
    const float *data = (const float *)content_of(given[2], &bytes);
    check(MXPredGetOutputShape(predictor, 0, &output_shape, &axes));
    for (uint32_t i = 0; i < axes; ++i) size *= output_shape[i];
    float *found = calloc(size, sizeof *found);
    if (found == NULL) exit(1);
    long runs;
    while (scanf("%ld", &runs) == 1) {
        for (long i = 0; i < runs; ++i) {
            check(MXPredSetInput(predictor, "data", data, (uint32_t)(bytes / sizeof *data)));
            check(MXPredForward(predictor));
            check(MXPredGetOutput(predictor, 0, found, size));
        }
        answer(found, runs == 0 ? size : 0);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strncmp(argv[1], "add", 3) == 0)
        serve_add(strcmp(argv[1], "add-into") == 0);
    else if (argc == 8 && strcmp(argv[1], "predict") == 0)
        serve_predict(argv + 2);
    else
        return 2;
    return 0;
}
