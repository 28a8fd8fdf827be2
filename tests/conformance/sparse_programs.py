# SPDX-License-Identifier: Apache-2.0
"""Programs on sparse arrays, run by MXNet to record what it does and by the tests to compare.

A program is statements, separated by ``; ``, and an expression, whose value counts. `SETUP` defines
what they use; `describe` says what a value is, in a form that JSON can hold.
"""

import itertools

SETUP = """
nd, sp, internal = mx.nd, mx.nd.sparse, mx.nd._internal

def c(): return nd.array([[0, 1, 2], [0, 0, 0], [3, 0, 0]]).tostype("csr")
def c2(): return nd.array([[0, 5, 0], [0, 0, 0], [-3, 0, 4]]).tostype("csr")
def r(): return nd.array([[0, 1, 2], [0, 0, 0], [3, 0, 0], [0, 0, 0]]).tostype("row_sparse")
def r2(): return nd.array([[0, 0, 0], [0, 0, 7], [-3, 0, 4], [0, 0, 0]]).tostype("row_sparse")
def d3(): return nd.array([[1, 0, 2], [3, 4, 0], [0, np.inf, 1]])
def d4(): return nd.array([[1, 0, 2], [3, 4, 0], [0, np.inf, 1], [1, 1, 1]])
def W(dtype): return nd.arange(1, 13).reshape((4, 3)).astype(dtype)
def start(): mx.autograd.set_recording(True); mx.autograd.set_training(True)
def stop(): mx.autograd.set_recording(False); mx.autograd.set_training(False)

S, v = mx.sym, mx.sym.var

def bind(symbol, **stypes):
    shapes = {n: tuple(map(int, t.split()[1].split("x"))) for n, t in stypes.items()}
    stypes = {n: t.split()[0] for n, t in stypes.items()}
    bound = symbol.simple_bind(mx.cpu(), stype_dict=stypes, **shapes)
    return [[o.stype for o in bound.outputs], {n: g.stype for n, g in bound.grad_dict.items()}]

def run(symbol, **arrays):
    shapes = {n: a.shape for n, a in arrays.items()}
    stypes = {n: a.stype for n, a in arrays.items()}
    bound = symbol.simple_bind(mx.cpu(), stype_dict=stypes, **shapes)
    for name, array in arrays.items():
        array.copyto(bound.arg_dict[name])
    bound.forward(is_train=True)
    bound.backward([nd.ones(o.shape) if o.stype == "default" else nd.ones(o.shape).tostype(o.stype) for o in bound.outputs])
    return [list(bound.outputs), dict(bound.grad_dict)]
"""

ARRAYS = r"""
sp.csr_matrix([[0,1],[2,0]])
sp.csr_matrix(np.array([[0,1],[2,0]]))
sp.csr_matrix(np.array([[0,1],[2,0]],dtype='float64'))
sp.csr_matrix(np.array([[0,1],[2,0]],dtype='float64'),dtype='float32')
sp.csr_matrix(nd.array([[0,1],[2,0]],dtype='int32'))
sp.csr_matrix((2,3))
sp.csr_matrix((2,3),dtype='float64')
sp.csr_matrix((2,3),shape=(2,3))
sp.csr_matrix((2,3),shape=(3,3))
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,3]))
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,3]),shape=(4,3))
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,3]),shape=(4,9))
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,3]),shape=(4,3),dtype='int32')
sp.csr_matrix((np.array([1,2,3]),[1,0,2],[0,1,2,2,3]),shape=(4,3))
sp.csr_matrix((np.array([1,2,3.]),[1,0,2],[0,1,2,2,3]),shape=(4,3))
sp.csr_matrix((nd.array([1,2,3]),nd.array([1,0,2]),nd.array([0,1,2,2,3])),shape=(4,3))
sp.csr_matrix((nd.array([1,2,3]),nd.array([1,0,2],dtype='int64'),nd.array([0,1,2,2,3],dtype='int64')),shape=(4,3))
sp.csr_matrix(([],[],[0,0]))
sp.csr_matrix(([],[],[0,0]),shape=(1,4))
sp.csr_matrix(([1],[0],[0,1]),shape=(1,4,5))
sp.csr_matrix(([[1]],[0],[0,1]),shape=(1,4))
sp.csr_matrix(([1.,2],([0,1],[2,0])))
sp.csr_matrix(([1.,2,5],([0,1,0],[2,0,2])),shape=(3,3))
sp.csr_matrix(([1,2],([0,1],[2,0])),dtype='float32')
sp.csr_matrix((np.array([1,2],'float32'),(np.array([1,0]),np.array([2,0]))))
sp.csr_matrix((nd.array([1,2]),(nd.array([1,0]),nd.array([2,0]))))
sp.csr_matrix(([1.,2],([0,1],[2,0])),shape=(2,2))
sp.csr_matrix((1,))
sp.csr_matrix((1,2,3,4))
sp.csr_matrix(r())
sp.csr_matrix(c())
sp.csr_matrix(c(),shape=(3,3))
sp.csr_matrix(c(),shape=(3,4))
sp.csr_matrix(c(),dtype='float64')
sp.csr_matrix(scipy.sparse.csr_matrix([[0,1],[2,0]]))
sp.csr_matrix(scipy.sparse.csr_matrix([[0,1],[2,0.]],dtype='float32'))
sp.csr_matrix([1,2,3])
sp.csr_matrix(nd.zeros((2,3,4)))
sp.row_sparse_array([[0,1],[0,0],[2,0]])
sp.row_sparse_array(np.array([[0,1],[0,0],[2,0]]))
sp.row_sparse_array(np.array([[0,1],[0,0],[2,0]],dtype='float16'))
sp.row_sparse_array(nd.array([[0,1],[0,0],[2,0]],dtype='int32'))
sp.row_sparse_array((3,2))
sp.row_sparse_array((3,2,2))
sp.row_sparse_array((3,))
sp.row_sparse_array(([[1,2],[3,4]],[0,2]))
sp.row_sparse_array(([[1,2],[3,4]],[0,2]),shape=(6,2))
sp.row_sparse_array(([[1,2],[3,4]],[0,2]),shape=(6,3))
sp.row_sparse_array(([[1,2],[3,4]],[0,2]),shape=(6,2,1))
sp.row_sparse_array((np.array([[1,2],[3,4]]),np.array([0,2])),shape=(6,2))
sp.row_sparse_array((nd.array([[1,2],[3,4]]),nd.array([0,2])),shape=(6,2))
sp.row_sparse_array((nd.array([[1,2],[3,4]]),nd.array([0,2],dtype='int64')),shape=(6,2),dtype='float32')
sp.row_sparse_array(([],[]))
sp.row_sparse_array(r())
sp.row_sparse_array(c())
sp.row_sparse_array(r(),shape=(4,4))
sp.row_sparse_array(r(),dtype='float64')
sp.row_sparse_array([1,0,2])
sp.array(c())
sp.array(r())
sp.array(c(),dtype='float64')
sp.array(nd.ones((2,2)))
sp.array(np.ones((2,2)))
sp.array([[1,2]])
sp.array(scipy.sparse.csr_matrix([[0,1],[2,0]]))
sp.array(scipy.sparse.csr_matrix([[0,1],[2,0]]),dtype='float32')
sp.array(scipy.sparse.coo_matrix([[0,1],[2,0]]))
nd.array(c())
nd.array(scipy.sparse.csr_matrix([[0,1],[2,0]]))
nd.array(r(),dtype='float64')
sp.zeros('csr',(2,3))
sp.zeros('row_sparse',(2,3),dtype='float64')
sp.zeros('default',(2,3))
sp.zeros('other',(2,3))
sp.zeros('csr',(2,3,4))
sp.zeros('csr',(2,))
sp.zeros('row_sparse',(2,))
sp.empty('csr',(2,3))
sp.empty('row_sparse',(2,3,4))
sp.empty('default',(2,3))
nd.zeros((2,3),stype='csr')
nd.zeros((2,3),stype='row_sparse')
nd.empty((2,3),stype='csr')
nd.ones((2,3)).tostype('csr')
nd.ones((2,3)).tostype('default')
nd.ones((2,3)).tostype('wrong')
nd.ones((2,3,2)).tostype('csr')
nd.ones((2,3,2)).tostype('row_sparse')
nd.ones((3,)).tostype('row_sparse')
nd.ones((3,)).tostype('csr')
c().tostype('row_sparse')
c().tostype('csr')
c().tostype('default')
r().tostype('csr')
r().tostype('default')
r().tostype('row_sparse')
c()[0]
c()[2]
c()[-1]
c()[-2]
c()[3]
c()[0:2]
c()[1:]
c()[:-1]
c()[-2:]
c()[:]
c()[2:1]
c()[0:3:2]
c()[0:3:1]
c()[0,1]
c()[[0,1]]
c()['x']
c()[None]
c()[np.int64(1)]
r()[0]
r()[0:2]
r()[:]
r()[0,1]
x=c(); x[:]=c2(); x
x=c(); x[:]=nd.ones((3,3)); x
x=c(); x[:]=np.eye(3); x
x=c(); x[:]=1; x
x=c(); x[0]=1; x
x=c(); x[0:1]=nd.ones((1,3)); x
x=c(); x[:]=nd.ones((2,3)); x
x=c(); x[:]='a'; x
x=c(); x[:]=[[1,2,3]]; x
x=c(); x[:]=r(); x
x=r(); x[:]=nd.ones((4,3)); x
x=r(); x[:]=1; x
x=r(); x[:]=0; x
x=r(); x[:]=np.ones((4,3)); x
x=r(); x[:]=c(); x
x=r(); x[0]=1; x
x=r(); x[1:2]=1; x
c().shape
c().dtype
c().stype
c().context
c().ndim
c().size
len(c())
r().shape
r().size
c()._num_aux
r()._num_aux
c()._aux_types
r()._aux_types
c().data
c().indices
c().indptr
c().indices.dtype
c().indptr.dtype
r().data
r().indices
r().indices.dtype
r().indptr
x=c(); x.data[:]=7; x
x=r(); x.data[:]=7; x
x=c(); x.data=nd.ones((3,)); x
c().asnumpy()
r().asnumpy()
c().asscipy()
r().asscipy()
c().asscalar()
nd.array([[5]]).tostype('csr').asscalar()
c().astype('float64')
c().astype('int32')
r().astype('float16')
x=c(); x.astype('float32',copy=False) is x
x=c(); x.astype('float32') is x
x=c(); y=x.copy(); y[:]=c2(); x
c().copy()
x=nd.zeros((3,3)); c().copyto(x); x
x=nd.zeros((3,3)); c().copyto(x) is x
x=sp.zeros('csr',(3,3)); c().copyto(x); x
x=sp.zeros('row_sparse',(3,3)); c().copyto(x); x
x=sp.zeros('csr',(3,4)); c().copyto(x); x
x=nd.zeros((4,3)); r().copyto(x); x
x=sp.zeros('row_sparse',(4,3)); r().copyto(x); x
x=sp.zeros('csr',(4,3)); r().copyto(x); x
x=sp.zeros('row_sparse',(4,3),dtype='float64'); r().copyto(x); x
x=nd.zeros((3,3),dtype='float64'); c().copyto(x); x
x=sp.zeros('csr',(3,3)); nd.ones((3,3)).copyto(x); x
c().copyto(mx.cpu(0))
c().copyto('x')
c().as_in_context(mx.cpu(0))
c().reshape((9,))
r().reshape((3,4))
c().T
c().transpose()
r().retain(nd.array([0,1]))
r().retain(nd.array([0,1],dtype='int64'))
sp.retain(r(),nd.array([2]))
sp.retain(c(),nd.array([0]))
sp.retain(nd.ones((2,2)),nd.array([0]))
c().retain(nd.array([0]))
repr(c()).split('@')[0]
repr(r()).split('@')[0]
str(c()).split('@')[0]
c().check_format()
c().check_format(False)
r().check_format()
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,3]),shape=(4,2)).check_format()
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,3]),shape=(4,2)).check_format(False)
sp.csr_matrix(([1,2,3],[2,0,2],[0,2,2,2,3]),shape=(4,3)).check_format()
sp.csr_matrix(([1,2,3],[2,2,2],[0,2,2,2,3]),shape=(4,3)).check_format()
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,1,3]),shape=(4,3)).check_format()
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,2,4]),shape=(4,3)).check_format(False)
sp.csr_matrix(([1,2,3],[1,0,2],[1,1,2,2,3]),shape=(4,3)).check_format(False)
sp.csr_matrix(([1,2,3],[1,0,2],[0,1,2,3]),shape=(4,3)).check_format(False)
sp.csr_matrix(([1,2,3],[1,0,-2],[0,1,2,2,3]),shape=(4,3)).check_format()
sp.row_sparse_array(([[1,2],[3,4]],[0,2]),shape=(2,2)).check_format()
sp.row_sparse_array(([[1,2],[3,4]],[2,0]),shape=(3,2)).check_format()
sp.row_sparse_array(([[1,2],[3,4]],[0,0]),shape=(3,2)).check_format()
sp.row_sparse_array(([[1,2],[3,4]],[-1,0]),shape=(3,2)).check_format()
sp.row_sparse_array(([[1,2],[3,4]],[2,0]),shape=(3,2)).check_format(False)
pickle.loads(pickle.dumps(c()))
pickle.loads(pickle.dumps(r()))
copy.copy(c())
copy.deepcopy(r())
c()+c2()
c()-c2()
c()*c2()
c()/c2()
r()+r()
r()-r()
r()*r()
r()/r()
c()+1
1+c()
c()*2
2*c()
c()/2
2/c()
c()-1
1-c()
c()**2
c()%2
-c()
abs(c())
c()==c2()
c()==1
c()!=0
c()>c2()
c()>1
r()>=1
r()<0
c()+nd.ones((3,3))
nd.ones((3,3))+c()
nd.ones((3,3))*c()
c()*nd.ones((3,3))
c()*nd.array([[1,2,3]])
c()/nd.array([[1,2,3]])
c()+nd.array([[1,2,3]])
r()*nd.ones((4,3))
r()+nd.ones((4,3))
nd.ones((4,3))-r()
r()*nd.array([[1,2,3]])
c()+r()
x=c(); x+=c2(); x
x=c(); x*=2; x
x=c(); x-=c2(); x
x=c(); x/=2; x
x=c(); x+=1; x
x=r(); x+=r(); x
x=r(); x*=3; x
x=c(); x+=nd.ones((3,3)); x
x=nd.ones((3,3)); x+=c(); x
sp.add(c(),c2())
sp.add(c(),1)
sp.add(1,c())
sp.add(1,2)
sp.add(c(),nd.ones((3,3)))
sp.add(c(),nd.ones((1,3)))
sp.add(nd.ones((3,3)),c())
sp.subtract(r(),r())
sp.subtract(1,c())
sp.multiply(c(),c2())
sp.multiply(c(),nd.array([[1,2,3]]))
sp.multiply(nd.ones((3,3)),c())
sp.multiply(c(),3)
sp.divide(r(),2)
sp.divide(c(),nd.array([[1,2,4]]))
sp.divide(r(),r())
sp.elemwise_add(c(),c2())
sp.abs(c()-c2()*2)
sp.sum(c(),axis=0)
sp.sum(c(),axis=1)
sp.sum(c())
sp.mean(c(),axis=0)
sp.sum(c(),axis=0,keepdims=True)
sp.sum(c(),axis=(0,1))
sp.norm(c())
sp.norm(r())
nd.norm(c(),axis=1)
nd.norm(r(),ord=1)
sp.clip(c(),0,2)
sp.clip(r(),-1,1)
sp.clip(c(),1,2)
sp.slice(c(),begin=(0,1),end=(2,3))
sp.slice(c(),begin=(-2,),end=(None,))
sp.slice(c(),begin=(1,),end=(2,),step=(1,))
sp.concat(c(),c2(),dim=0)
sp.concat(c(),c2(),dim=1)
sp.zeros_like(c())
sp.zeros_like(r())
nd.ones_like(c())
sp.where(c(),nd.ones((3,3)),nd.zeros((3,3)))
sp.cast_storage(c(),'default')
sp.cast_storage(nd.eye(3),'csr')
sp.cast_storage(nd.eye(3),'row_sparse')
sp.dot(c(),nd.ones((3,2)))
sp.dot(c(),nd.ones((3,2)),transpose_a=True)
sp.dot(c(),c2())
sp.dot(nd.ones((2,3)),c())
sp.dot(nd.ones((2,3)),c(),forward_stype='default')
sp.dot(nd.ones((2,3)),c(),transpose_b=True,forward_stype='default')
sp.dot(c(),sp.row_sparse_array(([[1,2]],[2]),shape=(3,2)))
sp.dot(c(),sp.row_sparse_array(([[1,2]],[2]),shape=(3,2)),transpose_a=True)
sp.dot(sp.zeros('csr',(3,3)),nd.ones((3,2)))
sp.dot(sp.zeros('csr',(3,3)),nd.ones((3,2)),transpose_a=True)
sp.dot(c(),sp.zeros('row_sparse',(3,2)))
sp.zeros('csr',(3,3))+sp.zeros('csr',(3,3))
sp.zeros('row_sparse',(3,3))+sp.zeros('row_sparse',(3,3))
sp.zeros('row_sparse',(4,3))+r()
sp.zeros('csr',(3,3))+c()
sp.zeros('csr',(3,3))*2
sp.sum(sp.zeros('csr',(3,3)),axis=0)
sp.norm(sp.zeros('csr',(3,3)))
sp.retain(sp.zeros('row_sparse',(3,3)),nd.array([1]))
sp.abs(sp.zeros('row_sparse',(3,3)))
sp.add_n(sp.zeros('row_sparse',(4,3)),r())
sp.add_n(r(),r(),out=sp.zeros('row_sparse',(4,3)))
x=nd.zeros((4,3)); nd.elemwise_add(r(),r(),out=x); x
x=sp.zeros('csr',(3,3)); nd.broadcast_add(nd.eye(3),nd.eye(3),out=x); x
x=sp.zeros('row_sparse',(3,3)); nd.broadcast_add(nd.eye(3),nd.eye(3),out=x); x
x=r(); nd.square(x,out=x); x
c().abs()
c().sin()
c().sum(axis=1)
c().clip(0,1)
r().square()
r().sqrt()
c().exp()
c().zeros_like()
c().norm()
c().slice(begin=(1,),end=(2,))
c().mean(axis=0)
c().expm1()
c().floor()
c().sign()
r().round()
c().softmax()
c().max()
c().argmax(axis=1)
c().wait_to_read()
bool(nd.array([[5]]).tostype('csr'))
bool(c())
list(c())[0]
x=c(); x.attach_grad(); x.grad
x=r(); x.attach_grad(); x.grad
x=nd.ones((2,3)); x.attach_grad(stype='row_sparse'); x.grad
x=nd.ones((2,3)); x.attach_grad(stype='csr'); x.grad
c().detach()
nd.contrib.getnnz(c(),axis=1)
nd.contrib.edge_id(c(),nd.array([0,0]),nd.array([1,0]))
nd.take(c(),nd.array([2,0]))
nd.take(c(),nd.array([[2],[0]]))
nd.Embedding(nd.array([0,2]),r(),input_dim=4,output_dim=3)
nd.Embedding(nd.array([0,2]),r(),input_dim=4,output_dim=3,sparse_grad=True)
nd.FullyConnected(c(),nd.ones((2,3)),no_bias=True,num_hidden=2)
nd.sparse.FullyConnected(c(),nd.ones((2,3)),no_bias=True,num_hidden=2)
nd.sparse.LinearRegressionOutput(nd.ones((3,3)),c())
nd.stack(c(),c2())
nd.concat(r(),r(),dim=0)
c().astype('float64')+c2()
c()*np.float32(2)
c()*True
"""

OPERATORS = r"""
r()+r2()
r()-r2()
r()*r2()
r()/r2()
nd.elemwise_mul(c(),d3())
nd.elemwise_mul(d3(),c())
nd.elemwise_mul(r(),d4())
nd.elemwise_mul(d4(),r())
nd.elemwise_add(r(),d4())
nd.elemwise_add(c(),d3())
nd.broadcast_mul(c(),d3())
nd.broadcast_mul(c(),nd.array([[1,0,2]]))
nd.broadcast_mul(c(),nd.array([[1],[0],[2]]))
nd.broadcast_div(c(),nd.array([[1,0,2]]))
nd.broadcast_mul(c(),nd.array([[2.]]))
nd.broadcast_mul(c(),nd.array([2.,3,4]))
nd.broadcast_add(c(),nd.array([[1,0,2]]))
c()*0
c()/0
c()+0
internal._maximum(r(),r2())
internal._minimum(r(),r2())
internal._hypot(r(),r2())
internal._maximum(c(),c2())
internal._hypot(c(),c2())
internal._scatter_elemwise_div(r(),r2())
internal._scatter_elemwise_div(r(),d4())
internal._scatter_elemwise_div(c(),d3())
internal._scatter_plus_scalar(r(),scalar=2)
internal._scatter_plus_scalar(c(),scalar=2)
internal._scatter_minus_scalar(c(),scalar=2)
nd.add_n(r(),r2(),r())
nd.add_n(c(),c2())
nd.add_n(r(),d4(),r2())
nd.add_n(d4(),r())
nd.abs(c())
nd.clip(c(),-1,1)
nd.clip(r(),0,1)
nd.clip(c(),.5,1)
nd.zeros_like(c())
nd.zeros_like(r())
nd.ones_like(r())
internal._identity_with_attr_like_rhs(d4(),r())
internal._identity_with_attr_like_rhs(r2(),r())
internal._equal_scalar(c(),scalar=1)
internal._greater_scalar(c(),scalar=1)
r()>1
r()==0
c()!=1
nd.contrib.quadratic(c(),a=1,b=2,c=0)
nd.contrib.gradientmultiplier(c(),scalar=2)
nd.relu(c()-c2())
nd.sparse.retain(r(),nd.array([0,1]))
nd.sparse.retain(r(),nd.array([0,3,2]))
nd.sparse.retain(r(),nd.array([2,0]))
nd.slice(c(),(1,0),(3,2))
nd.slice(c(),(0,),(3,),step=(2,))
nd.slice(c(),begin=(0,1),end=(3,3))
nd.slice(c(),begin=(2,),end=(1,))
nd.take(c(),nd.array([2,0,5,-1]))
nd.take(c(),nd.array([2,0,5,-1]),mode='wrap')
nd.concat(c(),c2(),dim=0)
nd.concat(c(),c2(),dim=1)
nd.sum(c(),axis=0)
nd.sum(c(),axis=1)
nd.sum(c())
nd.mean(c(),axis=0)
nd.mean(c(),axis=1)
nd.norm(c())
nd.norm(r())
nd.sum(c(),axis=0,keepdims=True)
internal._square_sum(r(),axis=1,keepdims=True)
internal._square_sum(r(),axis=0)
internal._square_sum(r(),axis=1)
nd.where(c(),d3(),d3()*2)
nd.where(r(),d4(),d4()*2)
nd.contrib.getnnz(c())
nd.contrib.getnnz(c(),axis=0)
nd.contrib.edge_id(c(),nd.array([0,0,2]),nd.array([1,0,0]))
nd.sparse.dot(c(),d3())
nd.sparse.dot(c(),c2())
nd.sparse.dot(c(),d3(),transpose_a=True)
nd.sparse.dot(c(),d3(),transpose_b=True)
nd.sparse.dot(d3(),c())
nd.sparse.dot(d3(),c(),transpose_b=True)
nd.sparse.dot(d3(),c(),transpose_a=True)
nd.sparse.dot(c(),nd.array([1,2,3.]))
nd.sparse.dot(c(),nd.array([1,2,3.]),transpose_a=True)
nd.sparse.dot(c(),d3(),forward_stype='row_sparse')
nd.sparse.dot(c(),d3(),forward_stype='csr')
nd.sparse.dot(c(),d3(),transpose_a=True,forward_stype='default')
nd.sparse.dot(nd.array([[1,2,3],[1,1,1]]),c())
nd.sparse.dot(nd.array([[1,2,3],[1,1,1]]),c(),forward_stype='default')
nd.sparse.dot(c(),r()[:],transpose_a=False)
nd.sparse.dot(nd.array([[0,1,2,1],[0,0,0,0],[3,0,0.,0]]).tostype('csr'),r())
nd.sparse.dot(nd.array([[0,1,2],[0,0,0],[3,0,0.],[0,0,0]]).tostype('csr'),r(),transpose_a=True)
nd.cast_storage(c(),'default')
nd.cast_storage(nd.array([[0,0,1],[0,0,0]]),'row_sparse')
nd.cast_storage(c(),'row_sparse')
nd.sign(r())
nd.square(c())
2-c()
c()-2
r()+1
c()+d3()
d3()+c()
d3()*c()
c()*d3()
c()/d3()
r()/d4()
r()*d4()
d4()*r()
nd.BatchNorm(c(),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=True)
nd.BatchNorm(c(),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=False)
nd.BatchNorm(r(),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=True)
nd.BatchNorm(r(),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=False)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]).tostype('row_sparse'),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=True)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]).tostype('row_sparse'),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=False)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]),nd.array([1.,2,0]).tostype('row_sparse'),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=True)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]),nd.array([1.,2,0]).tostype('row_sparse'),nd.array([1.,2,0]),nd.array([1.,2,0]),fix_gamma=False)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]).tostype('row_sparse'),nd.array([1.,2,0]),fix_gamma=True)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]).tostype('row_sparse'),nd.array([1.,2,0]),fix_gamma=False)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]).tostype('row_sparse'),fix_gamma=True)
nd.BatchNorm(nd.ones((4,3)),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]),nd.array([1.,2,0]).tostype('row_sparse'),fix_gamma=False)
nd.contrib.BatchNormWithReLU(r(),nd.ones(3),nd.ones(3),nd.ones(3),nd.ones(3))
"""

GRADIENTS = r"""
x=r(); x.attach_grad(); start(); y=nd.abs(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.square(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.relu(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.sign(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=-x; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x*2; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x/4; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x+x; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x-x*3; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x*x; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.sum(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.sum(x,axis=1); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=sp.retain(x,nd.array([0,3]))*2; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=internal._square_sum(x,axis=1); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=internal._square_sum(x,axis=0); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=internal._square_sum(x,axis=1,keepdims=True); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.add_n(x,x,x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=internal._maximum(x,x*2); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.clip(x,-1,1); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.tanh(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.sqrt(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.cast_storage(x,"default")*3; stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x*nd.ones((4,3)); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x+nd.ones((4,3)); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.norm(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.zeros_like(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.exp(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.square(nd.abs(x)); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.dot(x,nd.ones((3,2))); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.BlockGrad(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=internal._scatter_elemwise_div(x,nd.ones((4,3))*2); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=internal._scatter_plus_scalar(x,scalar=2); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.identity(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x.copy(); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.Embedding(nd.array([0,2,2]),x,input_dim=4,output_dim=3); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=nd.Embedding(nd.array([0,2,2]),x,input_dim=4,output_dim=3,sparse_grad=True); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.abs(x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.square(x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=-x; stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=x*2; stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=x+x; stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=x*x; stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=x-x; stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.sum(x,axis=0); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.sum(x,axis=1); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.mean(x,axis=1); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.sum(x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=x[0:2]; stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.take(x,nd.array([0,2,2])); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.concat(x,x,dim=0); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.broadcast_mul(x,nd.array([[1,2,3]])); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.broadcast_div(x,nd.array([[1,2,4]])); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.clip(x,-1,1); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.sin(x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.norm(x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.dot(x,nd.ones((3,2))); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.dot(x,nd.ones((3,2)),transpose_a=True); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.dot(nd.ones((2,3)),x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.dot(nd.ones((2,3)),x,transpose_b=True); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.dot(x,x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=x*nd.ones((3,3)); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.relu(x); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.contrib.gradientmultiplier(x,scalar=3); stop(); y.backward(); x.grad
x=c(); x.attach_grad(); start(); y=nd.contrib.quadratic(x,a=1,b=2,c=0); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.dot(c(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(c(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.dot(c(),x,transpose_a=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(c(),x,transpose_a=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.dot(c(),x)+nd.dot(c2(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(c(),x)+nd.dot(c2(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.dot(c(),x*2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(c(),x*2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.dot(c(),x).square(); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(c(),x).square(); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.broadcast_add(nd.dot(c(),x),nd.sum(x)); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.broadcast_add(nd.dot(c(),x),nd.sum(x)); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.Embedding(nd.array([1,0]),x,input_dim=3,output_dim=2,sparse_grad=True)+nd.Embedding(nd.array([2,0]),x,input_dim=3,output_dim=2,sparse_grad=True)*2; stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.Embedding(nd.array([1,0]),x,input_dim=3,output_dim=2,sparse_grad=True)+nd.Embedding(nd.array([2,0]),x,input_dim=3,output_dim=2,sparse_grad=True)*2; stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.Embedding(nd.array([1,0]),x*3,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.Embedding(nd.array([1,0]),x*3,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.Embedding(nd.array([7,-3]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.Embedding(nd.array([7,-3]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.contrib.SparseEmbedding(nd.array([1,0]),x,input_dim=3,output_dim=2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.contrib.SparseEmbedding(nd.array([1,0]),x,input_dim=3,output_dim=2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.take(x,nd.array([0,2])); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.take(x,nd.array([0,2])); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=x.tostype('row_sparse')*2; stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=x.tostype('row_sparse')*2; stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=x.tostype('csr')*2; stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=x.tostype('csr')*2; stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.dot(x,c().slice(begin=(0,),end=(2,))); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(x,c().slice(begin=(0,),end=(2,))); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.elemwise_mul(x,sp.row_sparse_array(([[1,2]],[1]),shape=(3,2))); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.elemwise_mul(x,sp.row_sparse_array(([[1,2]],[1]),shape=(3,2))); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(); start(); y=nd.where(sp.csr_matrix(([1.],([0],[1])),shape=(3,2)),x,x*3); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.where(sp.csr_matrix(([1.],([0],[1])),shape=(3,2)),x,x*3); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(grad_req='add'); start(); y=nd.dot(c(),x); stop(); y.backward(); start(); y=nd.dot(c(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse',grad_req='add'); start(); y=nd.dot(c(),x); stop(); y.backward(); start(); y=nd.dot(c(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(grad_req='add'); start(); y=nd.dot(c(),x,transpose_a=True); stop(); y.backward(); start(); y=nd.dot(c(),x,transpose_a=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse',grad_req='add'); start(); y=nd.dot(c(),x,transpose_a=True); stop(); y.backward(); start(); y=nd.dot(c(),x,transpose_a=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(grad_req='add'); start(); y=nd.dot(c(),x)+nd.dot(c2(),x); stop(); y.backward(); start(); y=nd.dot(c(),x)+nd.dot(c2(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse',grad_req='add'); start(); y=nd.dot(c(),x)+nd.dot(c2(),x); stop(); y.backward(); start(); y=nd.dot(c(),x)+nd.dot(c2(),x); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(grad_req='add'); start(); y=nd.dot(c(),x*2); stop(); y.backward(); start(); y=nd.dot(c(),x*2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse',grad_req='add'); start(); y=nd.dot(c(),x*2); stop(); y.backward(); start(); y=nd.dot(c(),x*2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(grad_req='add'); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse',grad_req='add'); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2,sparse_grad=True); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(grad_req='add'); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2); stop(); y.backward(); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2); stop(); y.backward(); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse',grad_req='add'); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2); stop(); y.backward(); start(); y=nd.Embedding(nd.array([[1,0],[0,0]]),x,input_dim=3,output_dim=2); stop(); y.backward(); x.grad
x=r(); x.attach_grad(stype='default'); start(); y=nd.square(x); stop(); y.backward(); x.grad
x=r(); x.attach_grad(); start(); y=x*2; stop(); y.backward(nd.ones((4,3))*3); x.grad
x=r(); x.attach_grad(); start(); y=x*2; stop(); y.backward(r()); x.grad
x=nd.array([[1,2],[3,4],[5,6]]); x.attach_grad(stype='row_sparse'); start(); y=nd.dot(c(),x); stop(); y.backward(nd.ones((3,2))); y.backward(nd.ones((3,2))); x.grad
"""

UPDATES = r"""
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); nd.sgd_update(w,g,out=w,lr=.1,wd=.05,rescale_grad=.5,clip_gradient=.4); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); nd.sgd_update(w,g,out=w,lr=.1,wd=.05,rescale_grad=.5,clip_gradient=.4); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s1
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s1
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s1
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05); s1
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); nd.sgd_update(w,g,out=w,lr=.1,wd=.05,rescale_grad=.5,clip_gradient=.4,lazy_update=False); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); nd.sgd_update(w,g,out=w,lr=.1,wd=.05,rescale_grad=.5,clip_gradient=.4,lazy_update=False); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sgd_mom_update(w,g,s0,out=w,lr=.1,wd=.05,momentum=.9,lazy_update=False); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s1
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s1
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s1
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.adam_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lazy_update=False); s1
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s1
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s1
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s1
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); s1=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.ftrl_update(w,g,s0,s1,out=w,lr=.1,wd=.05,lamda1=.2); s1
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.sparse.adagrad_update(w,g,s0,out=w,lr=.1); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,5).reshape((4,1))*0.1).tostype('default'); nd.contrib.group_adagrad_update(w,g,s0,out=w,lr=.1); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,5).reshape((4,1))*0.1).tostype('default'); nd.contrib.group_adagrad_update(w,g,s0,out=w,lr=.1); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,5).reshape((4,1))*0.1).tostype('row_sparse'); nd.contrib.group_adagrad_update(w,g,s0,out=w,lr=.1); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,5).reshape((4,1))*0.1).tostype('row_sparse'); nd.contrib.group_adagrad_update(w,g,s0,out=w,lr=.1); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.nag_mom_update(w,g,s0,out=w,lr=.1,momentum=.9,wd=.05); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.nag_mom_update(w,g,s0,out=w,lr=.1,momentum=.9,wd=.05); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.nag_mom_update(w,g,s0,out=w,lr=.1,momentum=.9,wd=.05); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.nag_mom_update(w,g,s0,out=w,lr=.1,momentum=.9,wd=.05); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.rmsprop_update(w,g,s0,out=w,lr=.1,wd=.05); w
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('default'); nd.rmsprop_update(w,g,s0,out=w,lr=.1,wd=.05); s0
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.rmsprop_update(w,g,s0,out=w,lr=.1,wd=.05); w
w=W('float32'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))*0.1).tostype('row_sparse'); nd.rmsprop_update(w,g,s0,out=w,lr=.1,wd=.05); s0
w=W('float16'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),dtype='float16',shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))).tostype('default'); nd.mp_sgd_update(w,g,s0,out=w,lr=.1,wd=.05); w
w=W('float16'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),dtype='float16',shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))).tostype('default'); nd.mp_sgd_update(w,g,s0,out=w,lr=.1,wd=.05); s0
w=W('float16'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),dtype='float16',shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))).tostype('row_sparse'); nd.mp_sgd_update(w,g,s0,out=w,lr=.1,wd=.05); w
w=W('float16'); w=w.tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),dtype='float16',shape=(4,3)); s0=(nd.arange(1,13).reshape((4,3))).tostype('row_sparse'); nd.mp_sgd_update(w,g,s0,out=w,lr=.1,wd=.05); s0
w=W('float32'); w=w.tostype('default'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); nd.signsgd_update(w,g,out=w,lr=.1,wd=.05); w
w=nd.ones((4,3)); nd.sgd_update(w,sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)),lr=.1,wd=.5)
w=nd.ones((4,3)); nd.sgd_update(w,sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)),lr=.1,wd=.5); w
w=nd.ones((4,3)).tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); m=sp.zeros('row_sparse',(4,3)); nd.sgd_mom_update(w,g,m,lr=.1,momentum=.9,out=w); m
w=nd.ones((4,3)).tostype('row_sparse'); g=sp.row_sparse_array(([[1,2,3],[.5,0,1]],[1,3]),shape=(4,3)); m=sp.zeros('row_sparse',(4,3)); v=sp.zeros('row_sparse',(4,3)); nd.adam_update(w,g,m,v,lr=.1,out=w); v
w=nd.ones((4,3)); g=sp.zeros('row_sparse',(4,3)); nd.sgd_update(w,g,lr=.1,wd=.5,out=w); w
"""

BINDING = r"""
bind(S.abs(v('x')), x='csr 4x6')
bind(S.abs(v('x')), x='row_sparse 4x6')
bind(S.square(v('x')), x='csr 4x6')
bind(S.square(v('x')), x='row_sparse 4x6')
bind(S.relu(v('x')), x='csr 4x6')
bind(S.relu(v('x')), x='row_sparse 4x6')
bind(S.sign(v('x')), x='csr 4x6')
bind(S.sign(v('x')), x='row_sparse 4x6')
bind(S.negative(v('x')), x='csr 4x6')
bind(S.negative(v('x')), x='row_sparse 4x6')
bind(S.sin(v('x')), x='csr 4x6')
bind(S.sin(v('x')), x='row_sparse 4x6')
bind(S.tanh(v('x')), x='csr 4x6')
bind(S.tanh(v('x')), x='row_sparse 4x6')
bind(S.sqrt(v('x')), x='csr 4x6')
bind(S.sqrt(v('x')), x='row_sparse 4x6')
bind(S.exp(v('x')), x='csr 4x6')
bind(S.exp(v('x')), x='row_sparse 4x6')
bind(S.floor(v('x')), x='csr 4x6')
bind(S.floor(v('x')), x='row_sparse 4x6')
bind(S.cbrt(v('x')), x='csr 4x6')
bind(S.cbrt(v('x')), x='row_sparse 4x6')
bind(S.log1p(v('x')), x='csr 4x6')
bind(S.log1p(v('x')), x='row_sparse 4x6')
bind(S.zeros_like(v('x')), x='csr 4x6')
bind(S.zeros_like(v('x')), x='row_sparse 4x6')
bind(S.ones_like(v('x')), x='csr 4x6')
bind(S.ones_like(v('x')), x='row_sparse 4x6')
bind(S.BlockGrad(v('x')), x='csr 4x6')
bind(S.BlockGrad(v('x')), x='row_sparse 4x6')
bind(S.make_loss(v('x')), x='csr 4x6')
bind(S.make_loss(v('x')), x='row_sparse 4x6')
bind(S.logical_not(v('x')), x='csr 4x6')
bind(S.logical_not(v('x')), x='row_sparse 4x6')
bind(S.sigmoid(v('x')), x='csr 4x6')
bind(S.sigmoid(v('x')), x='row_sparse 4x6')
bind(S.identity(v('x')), x='csr 4x6')
bind(S.identity(v('x')), x='row_sparse 4x6')
bind(S.argmax(v('x')), x='csr 4x6')
bind(S.argmax(v('x')), x='row_sparse 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='csr 4x6', y='csr 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='row_sparse 4x6', y='row_sparse 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='csr 4x6', y='default 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='row_sparse 4x6', y='default 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='default 4x6', y='row_sparse 4x6')
bind(S.elemwise_add(v('x'),v('y')), x='csr 4x6', y='row_sparse 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='csr 4x6', y='csr 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='row_sparse 4x6', y='row_sparse 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='csr 4x6', y='default 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='row_sparse 4x6', y='default 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='default 4x6', y='row_sparse 4x6')
bind(S.elemwise_sub(v('x'),v('y')), x='csr 4x6', y='row_sparse 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='csr 4x6', y='csr 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='row_sparse 4x6', y='row_sparse 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='csr 4x6', y='default 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='row_sparse 4x6', y='default 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='default 4x6', y='row_sparse 4x6')
bind(S.elemwise_mul(v('x'),v('y')), x='csr 4x6', y='row_sparse 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='csr 4x6', y='csr 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='row_sparse 4x6', y='row_sparse 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='csr 4x6', y='default 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='row_sparse 4x6', y='default 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='default 4x6', y='row_sparse 4x6')
bind(S.elemwise_div(v('x'),v('y')), x='csr 4x6', y='row_sparse 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='csr 4x6', y='csr 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='row_sparse 4x6', y='row_sparse 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='csr 4x6', y='default 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='row_sparse 4x6', y='default 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='default 4x6', y='row_sparse 4x6')
bind(S.broadcast_add(v('x'),v('y')), x='csr 4x6', y='row_sparse 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='csr 4x6', y='csr 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='row_sparse 4x6', y='row_sparse 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='csr 4x6', y='default 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='row_sparse 4x6', y='default 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='default 4x6', y='row_sparse 4x6')
bind(S.broadcast_mul(v('x'),v('y')), x='csr 4x6', y='row_sparse 4x6')
bind(v('x')*2, x='csr 4x6')
bind(v('x')/2, x='csr 4x6')
bind(v('x')+1, x='csr 4x6')
bind(v('x')-1, x='csr 4x6')
bind(v('x')*0, x='csr 4x6')
bind(v('x')==1, x='csr 4x6')
bind(v('x')>0, x='csr 4x6')
bind(v('x')<0, x='csr 4x6')
bind(S.clip(v('x'),-1,1), x='csr 4x6')
bind(S.sum(v('x'),axis=1), x='csr 4x6')
bind(S.sum(S.relu(v('x'))), x='csr 4x6')
bind(S.relu(S.relu(v('x'))), x='csr 4x6')
bind(S.relu(S.sin(v('x'))), x='csr 4x6')
bind(S.square(v('x')*2), x='csr 4x6')
bind(S.square(v('x'))*3, x='csr 4x6')
bind(v('x')+v('x'), x='csr 4x6')
bind(v('x')*v('x'), x='csr 4x6')
bind(S.add_n(v('x'),v('x')), x='csr 4x6')
bind(S.cast_storage(v('x'),stype='default'), x='csr 4x6')
bind(S.abs(v('x'))+S.square(v('x')), x='csr 4x6')
bind(v('x')*2, x='row_sparse 4x6')
bind(v('x')/2, x='row_sparse 4x6')
bind(v('x')+1, x='row_sparse 4x6')
bind(v('x')-1, x='row_sparse 4x6')
bind(v('x')*0, x='row_sparse 4x6')
bind(v('x')==1, x='row_sparse 4x6')
bind(v('x')>0, x='row_sparse 4x6')
bind(v('x')<0, x='row_sparse 4x6')
bind(S.clip(v('x'),-1,1), x='row_sparse 4x6')
bind(S.sum(v('x'),axis=1), x='row_sparse 4x6')
bind(S.sum(S.relu(v('x'))), x='row_sparse 4x6')
bind(S.relu(S.relu(v('x'))), x='row_sparse 4x6')
bind(S.relu(S.sin(v('x'))), x='row_sparse 4x6')
bind(S.square(v('x')*2), x='row_sparse 4x6')
bind(S.square(v('x'))*3, x='row_sparse 4x6')
bind(v('x')+v('x'), x='row_sparse 4x6')
bind(v('x')*v('x'), x='row_sparse 4x6')
bind(S.add_n(v('x'),v('x')), x='row_sparse 4x6')
bind(S.cast_storage(v('x'),stype='default'), x='row_sparse 4x6')
bind(S.abs(v('x'))+S.square(v('x')), x='row_sparse 4x6')
bind(S.cast_storage(v('x'),stype='csr'), x='default 4x6')
bind(S.cast_storage(v('x'),stype='row_sparse'), x='default 4x6')
bind(S.sum(S.cast_storage(v('x'),stype='row_sparse')), x='default 4x6')
bind(S.cast_storage(v('x'),stype='row_sparse')*2, x='default 4x6')
bind(S.relu(S.cast_storage(v('x'),stype='csr')), x='default 4x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype=None), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype=None), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype=None), x='csr 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype=None), x='default 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype=None), x='default 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='default'), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='default'), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='default'), x='csr 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='default'), x='default 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='default'), x='default 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='csr'), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='csr'), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='csr'), x='csr 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='csr'), x='default 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='csr'), x='default 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='row_sparse'), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='row_sparse'), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='row_sparse'), x='csr 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='row_sparse'), x='default 4x6', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=False,forward_stype='row_sparse'), x='default 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype=None), x='csr 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype=None), x='csr 4x6', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype=None), x='csr 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype=None), x='default 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype=None), x='default 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='default'), x='csr 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='default'), x='csr 4x6', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='default'), x='csr 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='default'), x='default 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='default'), x='default 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='csr'), x='csr 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='csr'), x='csr 4x6', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='csr'), x='csr 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='csr'), x='default 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='csr'), x='default 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='row_sparse'), x='csr 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='row_sparse'), x='csr 4x6', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='row_sparse'), x='csr 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='row_sparse'), x='default 4x6', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=False,transpose_b=True,forward_stype='row_sparse'), x='default 4x6', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype=None), x='csr 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype=None), x='csr 6x4', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype=None), x='csr 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype=None), x='default 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype=None), x='default 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='default'), x='csr 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='default'), x='csr 6x4', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='default'), x='csr 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='default'), x='default 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='default'), x='default 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='csr'), x='csr 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='csr'), x='csr 6x4', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='csr'), x='csr 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='csr'), x='default 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='csr'), x='default 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='row_sparse'), x='csr 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='row_sparse'), x='csr 6x4', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='row_sparse'), x='csr 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='row_sparse'), x='default 6x4', w='csr 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=False,forward_stype='row_sparse'), x='default 6x4', w='default 6x3')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype=None), x='csr 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype=None), x='csr 6x4', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype=None), x='csr 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype=None), x='default 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype=None), x='default 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='default'), x='csr 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='default'), x='csr 6x4', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='default'), x='csr 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='default'), x='default 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='default'), x='default 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='csr'), x='csr 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='csr'), x='csr 6x4', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='csr'), x='csr 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='csr'), x='default 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='csr'), x='default 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='row_sparse'), x='csr 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='row_sparse'), x='csr 6x4', w='row_sparse 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='row_sparse'), x='csr 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='row_sparse'), x='default 6x4', w='csr 3x6')
bind(S.dot(v('x'),v('w'),transpose_a=True,transpose_b=True,forward_stype='row_sparse'), x='default 6x4', w='default 3x6')
bind(S.dot(v('x'),v('w')*2), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w')*2), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),v('w'))*2, x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),v('w'))*2, x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),-v('w')), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),-v('w')), x='csr 4x6', w='row_sparse 6x3')
bind(S.broadcast_add(S.dot(v('x'),v('w')),S.sum(v('w'))), x='csr 4x6', w='default 6x3')
bind(S.broadcast_add(S.dot(v('x'),v('w')),S.sum(v('w'))), x='csr 4x6', w='row_sparse 6x3')
bind(S.sum(S.dot(v('x'),v('w'))), x='csr 4x6', w='default 6x3')
bind(S.sum(S.dot(v('x'),v('w'))), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),S.square(v('w'))), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),S.square(v('w'))), x='csr 4x6', w='row_sparse 6x3')
bind(S.dot(v('x'),S.exp(v('w'))), x='csr 4x6', w='default 6x3')
bind(S.dot(v('x'),S.exp(v('w'))), x='csr 4x6', w='row_sparse 6x3')
bind(S.Embedding(v('i'),v('w'),input_dim=6,output_dim=3,sparse_grad=True), i='default 4', w='default 6x3')
bind(S.Embedding(v('i'),v('w'),input_dim=6,output_dim=3), i='default 4', w='default 6x3')
bind(S.Embedding(v('i'),v('w')*2,input_dim=6,output_dim=3,sparse_grad=True), i='default 4', w='default 6x3')
bind(S.contrib.SparseEmbedding(v('i'),v('w'),input_dim=6,output_dim=3), i='default 4', w='default 6x3')
bind(S.sum(S.Embedding(v('i'),v('w'),input_dim=6,output_dim=3,sparse_grad=True)), i='default 4', w='default 6x3')
bind(S.Embedding(v('i'),v('w'),input_dim=6,output_dim=3,sparse_grad=True), i='default 4', w='row_sparse 6x3')
bind(S.sparse.retain(v('x'),v('i')), x='row_sparse 4x6', i='default 2')
bind(S.where(v('x'),v('y'),v('z')), x='csr 4x6', y='default 4x6', z='default 4x6')
bind(S.concat(v('x'),v('y'),dim=0), x='csr 4x6', y='csr 4x6')
bind(S.concat(v('x'),v('y'),dim=1), x='csr 4x6', y='csr 4x6')
bind(S.take(v('x'),v('i')), x='csr 4x6', i='default 2')
bind(S.slice(v('x'),begin=(1,),end=(3,)), x='csr 4x6')
bind(S.FullyConnected(v('x'),v('w'),no_bias=True,num_hidden=3), x='csr 4x6', w='default 3x6')
bind(S.LinearRegressionOutput(v('x'),v('y')), x='default 4x6', y='csr 4x6')
bind(S._internal._square_sum(v('x'),axis=1), x='row_sparse 4x6')
bind(S._internal._square_sum(v('x'),axis=1,keepdims=True), x='row_sparse 4x6')
run(S.dot(v('x'),v('w')), x=c(), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.dot(v('x'),v('w')), x=c(), w=nd.array([[1,2],[3,4],[5,6]]).tostype('row_sparse'))
run(S.dot(v('x'),v('w'))*3, x=c(), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.dot(v('x'),v('w'))*3, x=c(), w=nd.array([[1,2],[3,4],[5,6]]).tostype('row_sparse'))
run(S.dot(v('x'),v('w')*3), x=c(), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.dot(v('x'),v('w')*3), x=c(), w=nd.array([[1,2],[3,4],[5,6]]).tostype('row_sparse'))
run(S.dot(v('x'),v('w'),transpose_a=True), x=c(), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.dot(v('x'),v('w'),transpose_a=True), x=c(), w=nd.array([[1,2],[3,4],[5,6]]).tostype('row_sparse'))
run(S.sum(S.dot(v('x'),v('w'))), x=c(), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.sum(S.dot(v('x'),v('w'))), x=c(), w=nd.array([[1,2],[3,4],[5,6]]).tostype('row_sparse'))
run(S.dot(v('x'),S.relu(v('w'))), x=c(), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.dot(v('x'),S.relu(v('w'))), x=c(), w=nd.array([[1,2],[3,4],[5,6]]).tostype('row_sparse'))
run(S.relu(v('x')), x=c())
run(S.relu(v('x')), x=r())
run(v('x')*2, x=c())
run(v('x')*2, x=r())
run(S.sum(v('x'),axis=1), x=c())
run(S.sum(v('x'),axis=1), x=r())
run(S.square(v('x')), x=c())
run(S.square(v('x')), x=r())
run(v('x')+v('x'), x=c())
run(v('x')+v('x'), x=r())
run(S.cast_storage(v('x'),stype='default'), x=c())
run(S.cast_storage(v('x'),stype='default'), x=r())
run(S.sin(v('x')), x=c())
run(S.sin(v('x')), x=r())
run(S.tanh(S.abs(v('x'))), x=c())
run(S.tanh(S.abs(v('x'))), x=r())
run(v('x')*v('x'), x=c())
run(v('x')*v('x'), x=r())
run(S.sign(v('x')), x=c())
run(S.sign(v('x')), x=r())
run(S.exp(v('x')), x=c())
run(S.exp(v('x')), x=r())
run(S.Embedding(v('i'),v('w'),input_dim=3,output_dim=2,sparse_grad=True), i=nd.array([0,2,2]), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.sum(S.Embedding(v('i'),v('w'),input_dim=3,output_dim=2,sparse_grad=True)), i=nd.array([0,1]), w=nd.array([[1,2],[3,4],[5,6]]))
run(S.slice(v('x'),begin=(0,),end=(2,)), x=c())
run(S.concat(v('x'),v('y'),dim=0), x=c(), y=c2())
run(S.elemwise_add(v('x'),v('y')), x=r(), y=r2())
run(S.elemwise_mul(v('x'),v('y')), x=c(), y=c2())
run(S.cast_storage(v('x'),stype='row_sparse')*2, x=d4())
bind(S.BatchNorm(v('x'),fix_gamma=True,name='n'), x='csr 4x6')
bind(S.BatchNorm(v('x'),fix_gamma=False,name='n'), x='csr 4x6')
bind(S.BatchNorm(v('x'),fix_gamma=True,name='n'), x='row_sparse 4x6')
bind(S.BatchNorm(v('x'),fix_gamma=False,name='n'), x='row_sparse 4x6')
"""

PROGRAMS = {
    name: text.strip().splitlines()
    for name, text in (
        ("arrays", ARRAYS),
        ("operators", OPERATORS),
        ("gradients", GRADIENTS),
        ("updates", UPDATES),
        ("binding", BINDING),
    )
}


def run(program, names):
    """The value of a program, in the form of `describe`, or the type of the error it raises."""
    names = dict(names)
    exec(SETUP, names)
    *statements, last = program.split("; ")
    try:
        for statement in statements:
            exec(statement, names)
        return describe(eval(last, names))
    except Exception as error:  # noqa: BLE001 - what it is counts
        names["stop"]()
        return {"raises": [t.__name__ for t in type(error).__mro__[:-2]]}


def describe(value):
    """What a value is and holds."""
    stype = getattr(value, "stype", None)
    if stype == "csr":
        parts = [value.data, value.indices, value.indptr]
        return {"stype": "csr", **_array(value), "rows": _rows(*(p.asnumpy() for p in parts))}
    if stype == "row_sparse":
        return {"stype": stype, **_array(value), "rows": value.indices.asnumpy().tolist()}
    if stype == "default":
        return {"stype": stype, **_array(value)}
    if isinstance(value, dict):
        return {k: describe(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(v) for v in value]
    if hasattr(value, "todense"):
        return {"scipy": describe(value.todense().A)}
    if hasattr(value, "tolist") and not isinstance(value, type):
        return {"numpy": str(value.dtype), "values": value.tolist()}
    if isinstance(value, type):
        return value.__name__
    return value if isinstance(value, (str, int, float)) else type(value).__name__


def _array(array):
    dense = array.asnumpy()
    return {"shape": list(dense.shape), "dtype": str(dense.dtype), "values": dense.tolist()}


def _rows(data, indices, indptr):
    """(column, value) of what each row of a CSR matrix stores, by column: MXNet may not sort."""
    n = int(indptr[-1])
    pairs = list(zip(indices[:n].tolist(), data[:n].tolist(), strict=True))
    rows = itertools.pairwise(indptr)
    return [sorted(pairs[a:b], key=lambda pair: pair[0]) for a, b in rows]
