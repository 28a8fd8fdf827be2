// SPDX-License-Identifier: Apache-2.0
//
// Trains a small convolutional network on images of digits, by MXNet's C interface, in the manner
// of MXNet's C++ package: operators by name, symbols, executors, a key-value store whose updater is
// a function of this program, and an iterator over CSV files.
//
//     mxnova capi build --out build
//     export PKG_CONFIG_PATH=build/lib/pkgconfig
//     c++ -std=c++17 train_digits.cpp $(pkg-config --cflags --libs mxnet) -o train_digits
//     ./train_digits digits.csv labels.csv model 5
//
// Each line of the first file holds 8 × 8 gray values from 0 to 16, each of the second the digit.
// It writes model-symbol.json, model-0000.params with the initial parameters and, after so many
// epochs, model-0001.params; and prints the loss and the accuracy of every epoch.

#include <mxnet/c_api.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(int status) {
    if (status != 0) throw std::runtime_error(MXGetLastError());
}

// Pointers to the texts of a list, for as long as the list stays as it is.
std::vector<const char *> pointers(const std::vector<std::string> &texts) {
    std::vector<const char *> found;
    for (const auto &text : texts) found.push_back(text.c_str());
    return found;
}

// Handles of the things in a list, which stay theirs.
template <typename T>
std::vector<void *> handles(const std::vector<T> &things) {
    std::vector<void *> found;
    for (const auto &thing : things) found.push_back(thing.handle());
    return found;
}

// Arrays --------------------------------------------------------------------------------------

enum DeviceType { kCPU = 1, kGPU = 2 };

struct Context {
    int type = kCPU;
    int id = 0;
};

using Shape = std::vector<uint32_t>;

// An array; copies of this object are the same array.
class NDArray {
  public:
    NDArray() = default;

    // Takes a handle that is now this object's to free.
    explicit NDArray(NDArrayHandle handle) : handle_(handle, [](void *h) { MXNDArrayFree(h); }) {}

    NDArray(const Shape &shape, const Context &context) {
        NDArrayHandle made;
        check(MXNDArrayCreate(shape.data(), static_cast<uint32_t>(shape.size()), context.type,
                              context.id, 0, &made));
        *this = NDArray(made);
    }

    NDArrayHandle handle() const { return handle_.get(); }

    Shape shape() const {
        uint32_t axes;
        const uint32_t *sizes;
        check(MXNDArrayGetShape(handle(), &axes, &sizes));
        return Shape(sizes, sizes + axes);
    }

    size_t size() const {
        size_t product = 1;
        for (uint32_t axis : shape()) product *= axis;
        return product;
    }

    void set(const std::vector<float> &values) {
        check(MXNDArraySyncCopyFromCPU(handle(), values.data(), values.size()));
    }

    std::vector<float> values() const {
        std::vector<float> copy(size());
        check(MXNDArraySyncCopyToCPU(handle(), copy.data(), copy.size()));
        return copy;
    }

  private:
    std::shared_ptr<void> handle_;
};

using NamedArrays = std::map<std::string, NDArray>;

void save(const std::string &path, const NamedArrays &arrays) {
    std::vector<std::string> names;
    std::vector<NDArrayHandle> handles;
    for (const auto &[name, array] : arrays) {
        names.push_back("arg:" + name);
        handles.push_back(array.handle());
    }
    check(MXNDArraySave(path.c_str(), static_cast<uint32_t>(handles.size()), handles.data(),
                        pointers(names).data()));
}

// Symbols -------------------------------------------------------------------------------------

class Symbol {
  public:
    explicit Symbol(SymbolHandle handle) : handle_(handle, [](void *h) { MXSymbolFree(h); }) {}

    static Symbol variable(const std::string &name) {
        SymbolHandle made;
        check(MXSymbolCreateVariable(name.c_str(), &made));
        return Symbol(made);
    }

    SymbolHandle handle() const { return handle_.get(); }

    std::vector<std::string> arguments() const {
        uint32_t count;
        const char **names;
        check(MXSymbolListArguments(handle(), &count, &names));
        return {names, names + count};
    }

    // The shapes of all arguments, in their order, for those that are known.
    std::vector<Shape> infer(const std::map<std::string, Shape> &known) const {
        std::vector<std::string> names;
        std::vector<uint32_t> begins{0}, sizes;
        for (const auto &[name, shape] : known) {
            names.push_back(name);
            sizes.insert(sizes.end(), shape.begin(), shape.end());
            begins.push_back(static_cast<uint32_t>(sizes.size()));
        }
        uint32_t counts[3];
        const uint32_t *axes[3], **shapes[3];
        int complete;
        check(MXSymbolInferShape(handle(), static_cast<uint32_t>(names.size()),
                                 pointers(names).data(), begins.data(), sizes.data(), &counts[0],
                                 &axes[0], &shapes[0], &counts[1], &axes[1], &shapes[1],
                                 &counts[2], &axes[2], &shapes[2], &complete));
        if (!complete) throw std::runtime_error("shapes do not follow from those that are known");
        std::vector<Shape> found;
        for (uint32_t i = 0; i < counts[0]; ++i)
            found.emplace_back(shapes[0][i], shapes[0][i] + axes[0][i]);
        return found;
    }

    void save(const std::string &path) const { check(MXSymbolSaveToFile(handle(), path.c_str())); }

  private:
    std::shared_ptr<void> handle_;
};

// Operators -----------------------------------------------------------------------------------

// All operators by name, as MXNet's C++ package finds them: through their creators.
class Operators {
  public:
    static AtomicSymbolCreator creator(const std::string &name) {
        static const Operators known;
        auto found = known.creators_.find(name);
        if (found == known.creators_.end()) throw std::runtime_error("no operator " + name);
        return found->second;
    }

  private:
    Operators() {
        uint32_t count;
        AtomicSymbolCreator *all;
        check(MXSymbolListAtomicSymbolCreators(&count, &all));
        for (uint32_t i = 0; i < count; ++i) {
            const char *name;
            check(MXSymbolGetAtomicSymbolName(all[i], &name));
            creators_[name] = all[i];
        }
    }

    std::map<std::string, AtomicSymbolCreator> creators_;
};

// A call of an operator that is put together: Operator("FullyConnected").param(...).input(...).
class Operator {
  public:
    explicit Operator(const std::string &name) : creator_(Operators::creator(name)) {}

    template <typename T>
    Operator &param(const std::string &name, const T &value) {
        std::ostringstream text;
        text.precision(9);
        text << value;
        keys_.push_back(name);
        values_.push_back(text.str());
        return *this;
    }

    Operator &input(const std::string &name, const Symbol &symbol) {
        names_.push_back(name);
        symbols_.push_back(symbol);
        return *this;
    }

    Operator &input(const NDArray &array) {
        arrays_.push_back(array);
        return *this;
    }

    // The symbol of the operator on the symbols that it was given.
    Symbol symbol(const std::string &name) const {
        SymbolHandle made;
        check(MXSymbolCreateAtomicSymbol(creator_, static_cast<uint32_t>(keys_.size()),
                                         pointers(keys_).data(), pointers(values_).data(), &made));
        Symbol symbol(made);
        auto inputs = handles(symbols_);
        check(MXSymbolCompose(made, name.c_str(), static_cast<uint32_t>(inputs.size()),
                              pointers(names_).data(), inputs.data()));
        return symbol;
    }

    // Runs the operator on the arrays that it was given, into another array.
    void run(const NDArray &out) const {
        NDArrayHandle result = out.handle(), *results = &result;
        int count = 1;
        auto inputs = handles(arrays_);
        check(MXImperativeInvoke(creator_, static_cast<int>(inputs.size()), inputs.data(), &count,
                                 &results, static_cast<int>(keys_.size()),
                                 pointers(keys_).data(), pointers(values_).data()));
    }

  private:
    AtomicSymbolCreator creator_;
    std::vector<std::string> keys_, values_, names_;
    std::vector<Symbol> symbols_;
    std::vector<NDArray> arrays_;
};

// Executors -----------------------------------------------------------------------------------

class Executor {
  public:
    // Binds a symbol to arrays that it makes; those in `fed` get no gradients.
    Executor(const Symbol &symbol, const Context &context, const std::map<std::string, Shape> &fed) {
        const auto shapes = symbol.infer(fed);
        std::vector<NDArrayHandle> values, gradients;
        std::vector<uint32_t> requests;
        size_t i = 0;
        for (const auto &name : symbol.arguments()) {
            const Shape &shape = shapes[i++];
            const bool learns = fed.count(name) == 0;
            arrays[name] = NDArray(shape, context);
            if (learns) this->gradients[name] = NDArray(shape, context);
            values.push_back(arrays[name].handle());
            gradients.push_back(learns ? this->gradients[name].handle() : nullptr);
            requests.push_back(learns ? 1 : 0);
        }
        ExecutorHandle made;
        check(MXExecutorBindEX(symbol.handle(), context.type, context.id, 0, nullptr, nullptr,
                               nullptr, static_cast<uint32_t>(values.size()), values.data(),
                               gradients.data(), requests.data(), 0, nullptr, nullptr, &made));
        handle_ = std::shared_ptr<void>(made, [](void *h) { MXExecutorFree(h); });
    }

    void forward(bool train) { check(MXExecutorForward(handle_.get(), train)); }
    void backward() { check(MXExecutorBackward(handle_.get(), 0, nullptr)); }

    NDArray output() const {
        uint32_t count;
        NDArrayHandle *all;
        check(MXExecutorOutputs(handle_.get(), &count, &all));
        for (uint32_t i = 1; i < count; ++i) MXNDArrayFree(all[i]);
        return NDArray(all[0]);
    }

    NamedArrays arrays, gradients;

  private:
    std::shared_ptr<void> handle_;
};

// Updates -------------------------------------------------------------------------------------

// Gradient descent with momentum, by MXNet's operator.
class Optimizer {
  public:
    Optimizer(double rate, double momentum, double rescale)
        : rate_(rate), momentum_(momentum), rescale_(rescale) {}

    void update(int key, const NDArray &weight, const NDArray &gradient) {
        auto state = states_.find(key);
        if (state == states_.end()) {
            state = states_.emplace(key, NDArray(weight.shape(), Context())).first;
            state->second.set(std::vector<float>(weight.size(), 0));
        }
        Operator("sgd_mom_update")
            .param("lr", rate_)
            .param("momentum", momentum_)
            .param("wd", 0.0001)
            .param("rescale_grad", rescale_)
            .input(weight)
            .input(gradient)
            .input(state->second)
            .run(weight);
    }

  private:
    double rate_, momentum_, rescale_;
    std::map<int, NDArray> states_;
};

// A store that an optimizer of this program updates.
class KVStore {
  public:
    KVStore(const std::string &kind, Optimizer *optimizer) {
        KVStoreHandle made;
        check(MXKVStoreCreate(kind.c_str(), &made));
        handle_ = std::shared_ptr<void>(made, [](void *h) { MXKVStoreFree(h); });
        check(MXKVStoreSetUpdater(made, &KVStore::update, optimizer));
    }

    void init(int key, const NDArray &value) {
        NDArrayHandle array = value.handle();
        check(MXKVStoreInit(handle_.get(), 1, &key, &array));
    }

    // Has the store update its value with a gradient, and fetches it.
    void step(int key, const NDArray &gradient, const NDArray &weight) {
        NDArrayHandle from = gradient.handle(), to = weight.handle();
        check(MXKVStorePush(handle_.get(), 1, &key, &from, -key));
        check(MXKVStorePull(handle_.get(), 1, &key, &to, -key));
    }

  private:
    static void update(int key, NDArrayHandle received, NDArrayHandle local, void *optimizer) {
        NDArray gradient(received), weight(local);
        try {
            static_cast<Optimizer *>(optimizer)->update(key, weight, gradient);
        } catch (const std::exception &error) {  // which must not pass through the store
            std::cerr << "update of " << key << ": " << error.what() << std::endl;
            std::exit(1);
        }
    }

    std::shared_ptr<void> handle_;
};

// Data ----------------------------------------------------------------------------------------

class DataIter {
  public:
    DataIter(const std::string &kind, const std::map<std::string, std::string> &options) {
        std::vector<std::string> keys, values;
        for (const auto &[key, value] : options) {
            keys.push_back(key);
            values.push_back(value);
        }
        DataIterHandle made;
        check(MXDataIterCreateIter(creator(kind), static_cast<uint32_t>(keys.size()),
                                   pointers(keys).data(), pointers(values).data(), &made));
        handle_ = std::shared_ptr<void>(made, [](void *h) { MXDataIterFree(h); });
    }

    void reset() { check(MXDataIterBeforeFirst(handle_.get())); }

    bool next() {
        int more;
        check(MXDataIterNext(handle_.get(), &more));
        return more != 0;
    }

    NDArray data() const { return array(MXDataIterGetData); }
    NDArray label() const { return array(MXDataIterGetLabel); }

  private:
    static DataIterCreator creator(const std::string &kind) {
        uint32_t count;
        DataIterCreator *all;
        check(MXListDataIters(&count, &all));
        for (uint32_t i = 0; i < count; ++i) {
            const char *name, *text, **names, **types, **texts;
            uint32_t arguments;
            check(MXDataIterGetIterInfo(all[i], &name, &text, &arguments, &names, &types, &texts));
            if (kind == name) return all[i];
        }
        throw std::runtime_error("no iterator " + kind);
    }

    NDArray array(int (*get)(DataIterHandle, NDArrayHandle *)) const {
        NDArrayHandle found;
        check(get(handle_.get(), &found));
        return NDArray(found);
    }

    std::shared_ptr<void> handle_;
};

// The network and its training ----------------------------------------------------------------

Symbol network() {
    auto data = Symbol::variable("data"), label = Symbol::variable("label");
    auto image = Operator("Reshape").param("shape", "(-1, 1, 8, 8)").input("data", data);
    auto convolved = Operator("Convolution")
                         .param("kernel", "(3, 3)")
                         .param("pad", "(1, 1)")
                         .param("num_filter", 16)
                         .input("data", image.symbol("image"));
    auto active = Operator("Activation")
                      .param("act_type", "relu")
                      .input("data", convolved.symbol("convolution"));
    auto pooled = Operator("Pooling")
                      .param("kernel", "(2, 2)")
                      .param("stride", "(2, 2)")
                      .param("pool_type", "max")
                      .input("data", active.symbol("active"));
    auto flat = Operator("Flatten").input("data", pooled.symbol("pooled"));
    auto scores = Operator("FullyConnected")
                      .param("num_hidden", 10)
                      .input("data", flat.symbol("flat"));
    return Operator("SoftmaxOutput")
        .input("data", scores.symbol("scores"))
        .input("label", label)
        .symbol("softmax");
}

// Numbers from -0.1 to 0.1, the same in every run.
std::vector<float> initial(size_t count, uint32_t seed) {
    std::vector<float> numbers(count);
    for (auto &number : numbers) {
        seed = seed * 1664525u + 1013904223u;
        number = static_cast<float>(seed >> 8) / (1 << 24) * 0.2f - 0.1f;
    }
    return numbers;
}

struct Score {
    double loss = 0;
    size_t right = 0, count = 0;

    void add(const std::vector<float> &probabilities, const std::vector<float> &labels) {
        const size_t classes = probabilities.size() / labels.size();
        for (size_t i = 0; i < labels.size(); ++i) {
            const float *row = &probabilities[i * classes];
            size_t best = 0;
            for (size_t k = 1; k < classes; ++k)
                if (row[k] > row[best]) best = k;
            const auto label = static_cast<size_t>(labels[i]);
            loss -= std::log(static_cast<double>(row[label]));
            right += best == label;
            ++count;
        }
    }
};

Score train(Executor &executor, KVStore &store, DataIter &batches) {
    Score score;
    batches.reset();
    while (batches.next()) {
        Operator("_mul_scalar").param("scalar", 0.0625).input(batches.data()).run(
            executor.arrays["data"]);
        Operator("_copyto").input(batches.label()).run(executor.arrays["label"]);
        executor.forward(true);
        executor.backward();
        int key = 0;
        for (const auto &[name, gradient] : executor.gradients)
            store.step(key++, gradient, executor.arrays[name]);
        score.add(executor.output().values(), executor.arrays["label"].values());
    }
    return score;
}

void run(const std::string &data, const std::string &labels, const std::string &model, int epochs) {
    const uint32_t batch = 32;
    DataIter batches("CSVIter", {{"data_csv", data},
                                 {"label_csv", labels},
                                 {"data_shape", "(64,)"},
                                 {"batch_size", std::to_string(batch)}});
    const Symbol symbol = network();
    Executor executor(symbol, Context(), {{"data", {batch, 64}}, {"label", {batch}}});
    Optimizer optimizer(0.1, 0.9, 1.0 / batch);
    KVStore store("local", &optimizer);
    NamedArrays parameters;
    int key = 0;
    for (const auto &[name, gradient] : executor.gradients) {
        parameters[name] = executor.arrays[name];
        parameters[name].set(initial(gradient.size(), static_cast<uint32_t>(key)));
        store.init(key++, parameters[name]);
    }
    symbol.save(model + "-symbol.json");
    save(model + "-0000.params", parameters);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        const Score score = train(executor, store, batches);
        const double loss = score.loss / static_cast<double>(score.count);
        std::printf("epoch %d: loss %.12g, accuracy %.2f%% of %zu\n", epoch, loss,
                    100.0 * static_cast<double>(score.right) / static_cast<double>(score.count),
                    score.count);
    }
    save(model + "-0001.params", parameters);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 5) {
        std::cerr << "usage: " << argv[0] << " DATA.csv LABELS.csv MODEL EPOCHS\n";
        return 2;
    }
    try {
        run(argv[1], argv[2], argv[3], std::atoi(argv[4]));
    } catch (const std::exception &error) {
        std::cerr << "train_digits: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
