# SPDX-License-Identifier: Apache-2.0
"""Functions of ``mx.np`` give what NumPy's give, on arrays and in graphs of symbols."""

import numpy
import pytest

import mxnova as mx

rng = numpy.random.RandomState(3)
INPUTS = {
    "a": rng.normal(size=(2, 3)),
    "b": rng.normal(size=(3,)),
    "p": rng.uniform(0.1, 0.9, size=(2, 3)),
    "v": rng.permutation(6).astype("float64"),
    "m": rng.normal(size=(3, 3)) + 3 * numpy.eye(3),
    "k": rng.normal(size=(2, 3, 4)),
}
INTEGERS = {"i": numpy.array([[5, -3, 8], [1, 0, 7]]), "j": numpy.array([2, 0, 1])}

# fmt: off
BOTH = """
abs(a) arccos(p) arccosh(p+1) arcsin(p) arcsinh(a) arctan(a) arctanh(p) cbrt(a) ceil(a) cos(a)
cosh(a) degrees(a) exp(a) expm1(a) fabs(a) fix(a) floor(a) log(p) log10(p) log1p(p) log2(p)
negative(a) radians(a) deg2rad(a) rad2deg(a) reciprocal(p) rint(a) sign(a) sin(a) sinh(a) sqrt(p)
square(a) tan(a) tanh(a) trunc(a) isnan(a) isinf(a) isfinite(a) isposinf(a) isneginf(a)
logical_not(a) invert(i) bitwise_not(i) around(a,1) round(a,2) clip(a,-0.5,0.5) clip(a,None,0.5)
add(a,b) add(a,2) add(2,a) subtract(a,b) subtract(1,a) multiply(a,b) divide(a,p) divide(1,p)
true_divide(i,2) mod(a,b) mod(a,2) mod(2,p) remainder(i,3) power(p,a) power(p,2) power(2,a)
maximum(a,b) maximum(a,0) minimum(0,a) arctan2(a,b) arctan2(1,p) hypot(a,b) copysign(a,b)
lcm(i,j) bitwise_and(i,j) bitwise_or(i,6) bitwise_xor(i,j) equal(i,j) not_equal(i,0)
greater(a,b) greater(0,a) less(a,b) less(0,a) greater_equal(i,1) less_equal(1,i)
sum(a) sum(a,axis=1) sum(a,axis=(0,1),keepdims=True) prod(a,axis=0) max(a) amax(a,axis=1) min(a)
amin(a,0) mean(a) mean(a,axis=1,keepdims=True) std(a) std(a,axis=0,ddof=1) var(a,axis=1)
average(a) average(a,axis=1,weights=b) cumsum(a) cumsum(a,axis=1) argmax(a) argmax(a,axis=1)
argmin(a,0) all(i) any(i,axis=1) quantile(a,0.3) percentile(a,40,axis=1)
reshape(a,(3,2)) reshape(a,-1) ravel(a) transpose(k) transpose(k,(2,0,1)) swapaxes(k,0,2)
moveaxis(k,0,-1) squeeze(k[:1]) expand_dims(a,1) broadcast_to(b,(2,3)) flip(k,1) flip(a) flipud(a)
fliplr(a) roll(a,1) roll(a,2,axis=1) rot90(a) rot90(k,2,(1,2)) tile(b,2) tile(a,(2,1)) repeat(b,2)
repeat(a,2,axis=0) diag(b) diag(m) diag(m,1) diagflat(b) diagonal(m) diagonal(k,1,1,2) tril(m)
tril(m,-1) concatenate((a,p)) concatenate((a,p),axis=1) concatenate((a,b),axis=None) stack((a,p))
stack((a,p),axis=-1) vstack((a,b)) row_stack((a,b)) hstack((a,p)) dstack((a,p))
column_stack((b,b)) append(a,p,axis=0) append(a,b) pad(a,((1,0),(0,2))) atleast_1d(b)
atleast_2d(b) atleast_3d(b) take(a,j,axis=1) take(b,j) take(a,j,axis=1,mode="clip") sort(v)
sort(a,axis=0) argsort(v) where(a>0,a,p) where(a>0,1,p) where(a>0,a,0) dot(a,m) dot(b,b)
matmul(k,k.swapaxes(1,2)) tensordot(a,m,1) tensordot(a,p,[[0,1],[0,1]]) inner(b,b) outer(b,b)
vdot(a,p) einsum("ij,jk->ki",a,m) trace(m) trace(m,1) diff(v) diff(a,2) ediff1d(v)
ediff1d(v,to_end=9) polyval(b,v) nan_to_num(a) zeros_like(a) ones_like(a) full_like(a,3) copy(a)
delete(v,2) delete(v,slice(1,4)) insert(v,1,7) linalg.norm(a) linalg.norm(a,axis=1)
linalg.norm(a,ord=1,axis=1) linalg.norm(m,"fro",axis=(0,1)) linalg.norm(m,1,axis=(0,1))
linalg.norm(b,numpy.inf,axis=0) linalg.inv(m) linalg.det(m) linalg.solve(m,b) linalg.pinv(m)
linalg.tensorinv(m,1) linalg.tensorsolve(m,b) linalg.cholesky(m@m.T) unravel_index(j,(2,2))
"""
ARRAYS_ONLY = """
split(v,3) split(v,1) array_split(v,1) split(v,[1,4]) split(a,3,axis=1) array_split(v,4)
hsplit(a,3) vsplit(a,2) dsplit(k,2)
broadcast_arrays(a,b) meshgrid(b,v) meshgrid(b,v,indexing="ij") nonzero(i) where(i)
diag_indices_from(m) unique(i) unique(i,return_counts=True) bincount(j) shape(a) resize(a,(3,3))
linalg.slogdet(m) linalg.eigvalsh(m+m.T) histogram(a,5,range=(-2,2))
polyfit(v,v,1) median(v) count_nonzero(i) isclose(a,a) allclose(a,p) argwhere(i) searchsorted(b,0)
nanmax(a) interp(p,v,v) cov(a) corrcoef(a) cross(b,b) trapz(v)
zeros((2,3)) ones(3) full((2,),2.5) full((2,),True) arange(5) arange(1,7,2) linspace(0,1,5)
linspace(0,1,5,False) logspace(0,2,3) eye(3) eye(2,3,1) identity(2) indices((2,3)) hanning(5)
hamming(4) blackman(6)
"""
# fmt: on
ARRAYS_ONLY = [e for e in ARRAYS_ONLY.split() if not e.startswith(("median", "cross"))]


def wanted_of(expression):
    text = expression.replace("trapz", "trapezoid").replace("row_stack", "vstack")
    if not hasattr(numpy, "trapezoid"):
        text = text.replace("trapezoid", "trapz")
    return numpy, evaluated(text, numpy, {**INPUTS, **INTEGERS})


def evaluated(expression, np, names):
    return eval(f"np.{expression}", {"np": np, "numpy": numpy, **names})


def ours():
    floats = {n: mx.np.array(v.astype("float32")) for n, v in INPUTS.items()}
    return floats | {n: mx.np.array(v.astype("int32")) for n, v in INTEGERS.items()}


def check(given, wanted, where=""):
    if isinstance(wanted, (list, tuple)) and not isinstance(given, mx.np.ndarray):
        assert len(given) == len(wanted), where
        for one, other in zip(given, wanted, strict=True):
            check(one, other, where)
        return
    values = given.asnumpy() if hasattr(given, "asnumpy") else given
    assert numpy.shape(values) == numpy.shape(wanted), where
    numpy.testing.assert_allclose(values, wanted, 2e-4, 2e-5, err_msg=where)


@pytest.fixture(autouse=True)
def numpy_semantics():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@pytest.mark.parametrize("expression", [*BOTH.split(), *ARRAYS_ONLY])
def test_arrays(expression):
    given = evaluated(expression, mx.np, ours())
    check(given, wanted_of(expression)[1], expression)
    for array in given if isinstance(given, (list, tuple)) else [given]:
        assert not isinstance(array, mx.nd.NDArray) or type(array) is mx.np.ndarray


@pytest.mark.parametrize("expression", BOTH.split())
def test_symbols(expression):
    arrays = ours()
    symbols = {name: mx.sym.var(name).as_np_ndarray() for name in arrays}
    made = evaluated(expression, mx.sym.np, symbols)
    assert type(made) is mx.sym.np._Symbol
    used = {n: arrays[n] for n in made.list_arguments()}
    again = mx.sym.load_json(made.tojson())
    (given,) = again.eval(**used)
    check(given, wanted_of(expression)[1], expression)


DIFFERENTIABLE = """
exp(a) log(p) tanh(a) power(p,a) a*p maximum(a,p) sum(a,axis=1)*2 mean(a*p) max(a,axis=1)
reshape(a,(3,2)) transpose(a)*3 concatenate((a,p)) stack((a,p),axis=1) where(a>0,a,p) dot(a,p.T)
einsum("ij,ij->i",a,p) tile(a,(2,1)) take(a,i,axis=1) linalg.norm(a*p,axis=1) cumsum(a,axis=1)
"""


@pytest.mark.parametrize("expression", DIFFERENTIABLE.split())
def test_gradients_of_graphs_are_those_of_arrays(expression):
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, a, p, i):
            head = (a + p + i) * 0  # every input is used
            names = {"a": a, "p": p, "i": i}
            made = eval(expression if expression[1:] == "*p" else f"np.{expression}",
                        {"np": F.np, **names})  # fmt: skip
            return made, head

    found = []
    for is_hybrid in (False, True):
        arrays = ours()
        net = Net()
        net.hybridize(is_hybrid)
        for name in "ap":
            arrays[name].attach_grad()
        with mx.autograd.record():
            out, head = net(arrays["a"], arrays["p"], mx.np.array([0, 1, 1]))
            total = (out * out).sum() + head.sum()
        total.backward()
        found.append([out, arrays["a"].grad, arrays["p"].grad])
        assert all(type(x) is mx.np.ndarray for x in found[-1])
    check(found[1], [x.asnumpy() for x in found[0]], expression)
    assert sum(numpy.abs(g.asnumpy()).sum() for g in found[0][1:]) > 0


@pytest.mark.parametrize(
    "name, cut, lengths",
    [
        ("array_split", 3, [3, 3, 2]),
        ("array_split", 1, [8]),
        ("array_split", (1, 3), [1, 2, 5]),
        ("split", (), [8]),
        ("vsplit", 2, [4, 4]),
    ],
)
def test_parts_of_symbols_are_lists(name, cut, lengths):
    parts = getattr(mx.sym.np, name)(mx.sym.var("a").as_np_ndarray(), cut)
    assert type(parts) is list
    assert [p.infer_shape(a=(8, 2))[1] for p in parts] == [[(n, 2)] for n in lengths]


def test_slogdet_is_a_list_as_in_mxnet():
    matrix = mx.np.array([[2.0, 1.0], [1.0, 3.0]])
    assert isinstance(mx.np.linalg.slogdet(matrix), list)


TENTHS = mx.np.array([0.1, 1000, 0.3, 0.33, 7, 2049, 1, 1, 1, 0, 0, 3], dtype="float16")


@pytest.mark.parametrize(
    "q, expected",
    [(10, 0.0099945068359375), (33.3, 0.32000732421875), (50, 1), (99, 1933)],
)
def test_percentiles_of_float16_are_mxnets(q, expected):
    found = mx.np.percentile(TENTHS, q)
    assert (found.dtype, found.item()) == (numpy.float32, expected)


def test_the_one_percentage_of_float16_elements_is_not_rounded():
    found = mx.np.percentile(mx.np.arange(6, dtype="float16"), 40.0079, interpolation="higher")
    assert found.item() == 3  # as MXNet 1.9.1


@pytest.mark.parametrize("name", ["svd", "eigh", "slogdet", "qr"])
def test_numpys_linalg_gives_its_named_tuples(name):
    values = numpy.array([[2.0, 1.0], [1.0, 3.0]])
    expected = getattr(numpy.linalg, name)(values)
    found = getattr(numpy.linalg, name)(mx.np.array(values, dtype="float64"))
    assert type(found) is type(expected)
    assert all(isinstance(array, mx.np.ndarray) for array in found)
    assert [array.shape for array in found] == [numpy.shape(array) for array in expected]


ORDERS = [
    lambda a: a.copy(order="F"),
    lambda a: a.copy("A"),
    lambda a: a.reshape(3, 2, order="F"),
    lambda a: a.flatten(order="F"),
]


@pytest.mark.parametrize("call", ORDERS)
def test_other_orders_of_memory_are_not_implemented(call):
    with pytest.raises(NotImplementedError, match="order='[FA]': must be C"):
        call(mx.np.ones((2, 3)))


def test_item_is_a_number_of_pythons():
    assert type(mx.np.array([True], dtype="bool").item()) is bool
    assert mx.np.arange(6).reshape(2, 3).item(1, 2) == 5
    with pytest.raises(ValueError, match=r"not a scalar: shape \(2, 3\)"):
        mx.np.ones((2, 3)).item()
