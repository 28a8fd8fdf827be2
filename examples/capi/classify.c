/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies lines of numbers with a saved model, by the predict interface.
 *
 *     mxnova capi build --out build
 *     export PKG_CONFIG_PATH=build/lib/pkgconfig
 *     cc classify.c $(pkg-config --cflags --libs mxnet) -o classify
 *     ./classify digits-symbol.json digits-0001.params digits.csv
 *
 * For each line of the file it prints the most probable class and its probability.
 */
#include <mxnet/c_predict_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NUMBERS 4096

static void check(int status) {
    if (status != 0) {
        fprintf(stderr, "classify: %s\n", MXGetLastError());
        exit(1);
    }
}

/* The bytes of a file, with a zero behind them. */
static char *content_of(const char *path, int *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (int)ftell(file);
    rewind(file);
    char *content = malloc((size_t)*size + 1);
    if (content == NULL || fread(content, 1, (size_t)*size, file) != (size_t)*size) {
        fprintf(stderr, "classify: %s cannot be read\n", path);
        exit(1);
    }
    content[*size] = 0;
    fclose(file);
    return content;
}

/* The numbers of a line, of which there may be as many as there is room for. */
static uint32_t numbers_of(const char *line, float *numbers) {
    uint32_t count = 0;
    char *end;
    while (count < MOST_NUMBERS) {
        float number = strtof(line, &end);
        if (end == line) break;
        numbers[count++] = number;
        line = *end == ',' ? end + 1 : end;
    }
    return count;
}

static PredictorHandle predictor_for(const char *symbol, const char *params, uint32_t features) {
    int symbol_size, params_size;
    char *json = content_of(symbol, &symbol_size);
    char *bytes = content_of(params, &params_size);
    const char *names[] = {"data"};
    const uint32_t begins[] = {0, 2}, shape[] = {1, features};
    PredictorHandle predictor;
    check(MXPredCreate(json, bytes, params_size, 1, 0, 1, names, begins, shape, &predictor));
    free(json);
    free(bytes);
    return predictor;
}

static uint32_t size_of_output(PredictorHandle predictor) {
    uint32_t *shape, axes, size = 1;
    check(MXPredGetOutputShape(predictor, 0, &shape, &axes));
    for (uint32_t i = 0; i < axes; ++i) size *= shape[i];
    return size;
}

static void classify(PredictorHandle predictor, const float *numbers, uint32_t count) {
    uint32_t size = size_of_output(predictor), best = 0;
    float *found = malloc(size * sizeof *found);
    if (found == NULL) exit(1);
    check(MXPredSetInput(predictor, "data", numbers, count));
    check(MXPredForward(predictor));
    check(MXPredGetOutput(predictor, 0, found, size));
    for (uint32_t i = 1; i < size; ++i)
        if (found[i] > found[best]) best = i;
    printf("%u %.9g\n", best, found[best]);
    free(found);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s SYMBOL PARAMS LINES\n", argv[0]);
        return 2;
    }
    int size;
    char *lines = content_of(argv[3], &size);
    float *numbers = malloc(MOST_NUMBERS * sizeof *numbers);
    if (numbers == NULL) return 1;
    PredictorHandle predictor = NULL;
    for (char *line = strtok(lines, "\r\n"); line != NULL; line = strtok(NULL, "\r\n")) {
        uint32_t count = numbers_of(line, numbers);
        if (predictor == NULL) predictor = predictor_for(argv[1], argv[2], count);
        classify(predictor, numbers, count);
    }
    if (predictor != NULL) check(MXPredFree(predictor));
    free(numbers);
    free(lines);
    return 0;
}
