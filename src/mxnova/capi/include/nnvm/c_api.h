/* SPDX-License-Identifier: Apache-2.0
 *
 * The C interface of graphs that MXNet 1.9.1 took from NNVM, as mxnova has it.
 *
 * Functions return 0, or -1 after an error, whose text NNGetLastError gives to the same thread.
 */
#ifndef NNVM_C_API_H_
#define NNVM_C_API_H_

#ifndef NNVM_DLL
#define NNVM_DLL
#endif

#ifndef MXNET_SYMBOL_HANDLE_
#define MXNET_SYMBOL_HANDLE_
typedef void *SymbolHandle;
#endif
typedef unsigned int nn_uint;
typedef void *OpHandle;
typedef void *GraphHandle;

#ifdef __cplusplus
extern "C" {
#endif

NNVM_DLL void NNAPISetLastError(const char *msg);
NNVM_DLL const char *NNGetLastError(void);
NNVM_DLL int NNListAllOpNames(nn_uint *out_size, const char ***out_array);
NNVM_DLL int NNGetOpHandle(const char *op_name, OpHandle *op_out);
NNVM_DLL int NNListUniqueOps(nn_uint *out_size, OpHandle **out_array);
NNVM_DLL int NNGetOpInfo(
    OpHandle op, const char **real_name, const char **description, nn_uint *num_doc_args,
    const char ***arg_names, const char ***arg_type_infos, const char ***arg_descriptions,
    const char **return_type);
NNVM_DLL int NNSymbolCreateAtomicSymbol(
    OpHandle op, nn_uint num_param, const char **keys, const char **vals, SymbolHandle *out);
NNVM_DLL int NNSymbolCreateVariable(const char *name, SymbolHandle *out);
NNVM_DLL int NNSymbolCreateGroup(nn_uint num_symbols, SymbolHandle *symbols, SymbolHandle *out);
NNVM_DLL int NNAddControlDeps(SymbolHandle handle, SymbolHandle src_dep);
NNVM_DLL int NNSymbolFree(SymbolHandle symbol);
NNVM_DLL int NNSymbolCopy(SymbolHandle symbol, SymbolHandle *out);
NNVM_DLL int NNSymbolPrint(SymbolHandle symbol, const char **out_str);
NNVM_DLL int NNSymbolGetAttr(SymbolHandle symbol, const char *key, const char **out, int *success);
NNVM_DLL int NNSymbolSetAttrs(
    SymbolHandle symbol, nn_uint num_param, const char **keys, const char **values);
NNVM_DLL int NNSymbolListAttrs(
    SymbolHandle symbol, int recursive_option, nn_uint *out_size, const char ***out);
NNVM_DLL int NNSymbolListInputVariables(
    SymbolHandle symbol, int option, nn_uint *out_size, SymbolHandle **out_sym_array);
NNVM_DLL int NNSymbolListInputNames(
    SymbolHandle symbol, int option, nn_uint *out_size, const char ***out_str_array);
NNVM_DLL int NNSymbolListOutputNames(
    SymbolHandle symbol, nn_uint *out_size, const char ***out_str_array);
NNVM_DLL int NNSymbolGetNumOutputs(SymbolHandle symbol, nn_uint *output_count);
NNVM_DLL int NNSymbolGetInternals(SymbolHandle symbol, SymbolHandle *out);
NNVM_DLL int NNSymbolGetChildren(SymbolHandle symbol, SymbolHandle *out);
NNVM_DLL int NNSymbolGetOutput(SymbolHandle symbol, nn_uint index, SymbolHandle *out);
NNVM_DLL int NNSymbolCompose(
    SymbolHandle sym, const char *name, nn_uint num_args, const char **keys, SymbolHandle *args);
NNVM_DLL int NNGraphCreate(SymbolHandle symbol, GraphHandle *graph);
NNVM_DLL int NNGraphFree(GraphHandle handle);
NNVM_DLL int NNGraphGetSymbol(GraphHandle graph, SymbolHandle *symbol);
NNVM_DLL int NNGraphSetJSONAttr(GraphHandle handle, const char *key, const char *json_value);
NNVM_DLL int NNGraphGetJSONAttr(
    GraphHandle handle, const char *key, const char **json_out, int *success);
NNVM_DLL int NNGraphSetNodeEntryListAttr_(GraphHandle handle, const char *key, SymbolHandle list);
NNVM_DLL int NNGraphApplyPasses(
    GraphHandle src, nn_uint num_pass, const char **pass_names, GraphHandle *dst);

#ifdef __cplusplus
}
#endif

#endif
