extension ONNXSignature {
  /// The types that operators of ONNX's opsets 13 to 21 take, one version of an operator in each line:
  /// its name, the first opset that has it, the types of its inputs and of its outputs, and the types
  /// that each variable may stand for. `*` repeats a type, `-` is any; the letters are those of
  /// ``letters``. Made by Tests/Peers/onnx_signatures.py from onnx' definitions.
  static let table = """
    Abs 13 T T T=bBhHiIqQewfd
    Acos 7 T T T=efd
    Acosh 9 T T T=efd
    Add 13 T,T T T=iIqQewfd
    Add 14 T,T T T=bBhHiIqQewfd
    And 7 ?,? ?
    ArgMax 13 T q T=bBhHiIqQewfd
    ArgMin 13 T q T=bBhHiIqQewfd
    Asin 7 T T T=efd
    Asinh 9 T T T=efd
    Atan 7 T T T=efd
    Atanh 9 T T T=efd
    AveragePool 11 T T T=efd
    AveragePool 19 T T T=efd
    BatchNormalization 9 T,T,T,T,T T,T,T,T,T T=efd
    BatchNormalization 14 T,T,T,U,U T,U,U T=ewfd U=ewfd
    BatchNormalization 15 T,T1,T1,T2,T2 T,T2,T2 T=ewfd T1=ewfd T2=ewfd
    Cast 13 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Cast 19 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Cast 21 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 15 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 19 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 21 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Ceil 13 T T T=ewfd
    Celu 12 f f
    Clip 13 T,T,T T T=bBhHiIqQewfd
    Concat 13 T* T T=?bBhHiIqQewfd
    Constant 13 - T T=?bBhHiIqQewfd
    Constant 19 - T T=?bBhHiIqQewfd
    Constant 21 - T T=?bBhHiIqQewfd
    ConstantOfShape 9 q T2 T2=?bBhHiIqQefd
    ConstantOfShape 20 q T2 T2=?bBhHiIqQewfd
    ConstantOfShape 21 q T2 T2=?bBhHiIqQewfd
    Conv 11 T,T,T T T=efd
    ConvTranspose 11 T,T,T T T=efd
    Cos 7 T T T=efd
    Cosh 9 T T T=efd
    CumSum 11 T,T2 T T=iIqQfd T2=iq
    CumSum 14 T,T2 T T=iIqQewfd T2=iq
    DepthToSpace 13 T T T=?bBhHiIqQewfd
    DequantizeLinear 13 T,f,T f T=bBi
    DequantizeLinear 19 T1,T2,T1 T2 T1=bBi T2=ewf
    DequantizeLinear 21 T1,T2,T1 T2 T1=bBhHi T2=ewf
    Div 13 T,T T T=iIqQewfd
    Div 14 T,T T T=bBhHiIqQewfd
    Dropout 13 T,T1,? T,? T=ewfd T1=efd
    Einsum 12 T* T T=bBhHiIqQefd
    Elu 6 T T T=efd
    Equal 13 T,T ? T=?bBhHiIqQewfd
    Equal 19 T,T ? T=?bBhHiIqQewfd
    Erf 13 T T T=ewfd
    Exp 13 T T T=ewfd
    Expand 13 T,q T T=?bBhHiIqQewfd
    Flatten 13 T T T=?bBhHiIqQewfd
    Flatten 21 T T T=?bBhHiIqQewfd
    Floor 13 T T T=ewfd
    GRU 7 T,T,T,T,i,T T,T T=efd
    GRU 14 T,T,T,T,i,T T,T T=efd
    Gather 13 T,Tind T T=?bBhHiIqQewfd Tind=iq
    GatherElements 13 T,Tind T T=?bBhHiIqQewfd Tind=iq
    GatherND 13 T,q T T=?bBhHiIqQewfd
    Gelu 20 T T T=ewfd
    Gemm 13 T,T,T T T=iIqQewfd
    GlobalAveragePool 1 T T T=efd
    GlobalMaxPool 1 T T T=efd
    Greater 13 T,T ? T=bBhHiIqQewfd
    GreaterOrEqual 12 T,T ? T=bBhHiIqQefd
    GreaterOrEqual 16 T,T ? T=bBhHiIqQewfd
    GroupNormalization 18 T,T,T T T=ewfd
    GroupNormalization 21 T,T,T T T=ewfd
    HardSigmoid 6 T T T=efd
    HardSwish 14 T T T=efd
    Identity 13 T T T=?bBhHiIqQewfd
    Identity 14 V V V=?bBhHiIqQewfd
    Identity 16 V V V=?bBhHiIqQewfd
    Identity 19 V V V=?bBhHiIqQewfd
    Identity 21 V V V=?bBhHiIqQewfd
    If 13 ? -* V=?bBhHiIqQefd
    If 16 ? -* V=?bBhHiIqQewfd
    If 19 ? -* V=?bBhHiIqQewfd
    If 21 ? -* V=?bBhHiIqQewfd
    InstanceNormalization 6 T,T,T T T=efd
    IsInf 10 T1 ? T1=fd
    IsInf 20 T1 ? T1=ewfd
    IsNaN 13 T1 ? T1=ewfd
    IsNaN 20 T1 ? T1=ewfd
    LRN 13 T T T=ewfd
    LSTM 7 T,T,T,T,i,T,T,T T,T,T T=efd
    LSTM 14 T,T,T,T,i,T,T,T T,T,T T=efd
    LayerNormalization 17 T,T,T T,U,U T=ewfd U=wf
    LeakyRelu 6 T T T=efd
    LeakyRelu 16 T T T=ewfd
    Less 13 T,T ? T=bBhHiIqQewfd
    LessOrEqual 12 T,T ? T=bBhHiIqQefd
    LessOrEqual 16 T,T ? T=bBhHiIqQewfd
    Log 13 T T T=ewfd
    LogSoftmax 13 T T T=ewfd
    Loop 13 q,?,-* -* V=?bBhHiIqQefd
    Loop 16 q,?,-* -* V=?bBhHiIqQewfd
    Loop 19 q,?,-* -* V=?bBhHiIqQewfd
    Loop 21 q,?,-* -* V=?bBhHiIqQewfd
    LpNormalization 1 T T T=efd
    MatMul 13 T,T T T=iIqQewfd
    Max 13 T* T T=bBhHiIqQewfd
    MaxPool 12 T T,q T=bBefd
    Mean 13 T* T T=ewfd
    MeanVarianceNormalization 13 T T T=ewfd
    Min 13 T* T T=bBhHiIqQewfd
    Mish 18 T T T=efd
    Mod 13 T,T T T=bBhHiIqQewfd
    Mul 13 T,T T T=iIqQewfd
    Mul 14 T,T T T=bBhHiIqQewfd
    Neg 13 T T T=bhiqewfd
    NonMaxSuppression 11 f,f,q,f,f q
    Not 1 ? ?
    OneHot 11 T1,T2,T3 T3 T1=bBhHiIqQefd T2=bBhHiIqQefd T3=?bBhHiIqQefd
    Or 7 ?,? ?
    PRelu 9 T,T T T=iIqQefd
    PRelu 16 T,T T T=iIqQewfd
    Pad 13 T,q,T T T=?bBhHiIqQewfd
    Pad 18 T,q,T,Tind T T=?bBhHiIqQewfd Tind=iq
    Pad 19 T,q,T,Tind T T=?bBhHiIqQewfd Tind=iq
    Pad 21 T,q,T,Tind T T=?bBhHiIqQewfd Tind=iq
    Pow 13 T,T1 T T=iqewfd T1=bBhHiIqQefd
    Pow 15 T,T1 T T=iqewfd T1=bBhHiIqQewfd
    QLinearConv 10 T1,f,T1,T2,f,T2,f,T3,i T3 T1=bB T2=bB T3=bB
    QLinearMatMul 10 T1,f,T1,T2,f,T2,f,T3 T3 T1=bB T2=bB T3=bB
    QLinearMatMul 21 T1,TS,T1,T2,TS,T2,TS,T3 T3 TS=ewf T1=bB T2=bB T3=bB
    QuantizeLinear 13 T1,f,T2 T2 T1=if T2=bB
    QuantizeLinear 19 T1,T1,T2 T2 T1=iewf T2=bB
    QuantizeLinear 21 T1,T1,T2 T2 T1=iewf T2=bBhH
    RNN 7 T,T,T,T,i,T T,T T=efd
    RNN 14 T,T,T,T,i,T T,T T=efd
    Range 11 T,T,T T T=hiqfd
    Reciprocal 13 T T T=ewfd
    ReduceL1 13 T T T=iIqQewfd
    ReduceL1 18 T,q T T=iIqQewfd
    ReduceL2 13 T T T=iIqQewfd
    ReduceL2 18 T,q T T=iIqQewfd
    ReduceLogSum 13 T T T=iIqQewfd
    ReduceLogSum 18 T,q T T=iIqQewfd
    ReduceLogSumExp 13 T T T=iIqQewfd
    ReduceLogSumExp 18 T,q T T=iIqQewfd
    ReduceMax 13 T T T=bBiIqQewfd
    ReduceMax 18 T,q T T=bBiIqQewfd
    ReduceMax 20 T,q T T=?bBiIqQewfd
    ReduceMean 13 T T T=iIqQewfd
    ReduceMean 18 T,q T T=iIqQewfd
    ReduceMin 13 T T T=bBiIqQewfd
    ReduceMin 18 T,q T T=bBiIqQewfd
    ReduceMin 20 T,q T T=?bBiIqQewfd
    ReduceProd 13 T T T=iIqQewfd
    ReduceProd 18 T,q T T=iIqQewfd
    ReduceSum 13 T,q T T=iIqQewfd
    ReduceSumSquare 13 T T T=iIqQewfd
    ReduceSumSquare 18 T,q T T=iIqQewfd
    Relu 13 T T T=ewfd
    Relu 14 T T T=bhiqewfd
    Reshape 13 T,q T T=?bBhHiIqQewfd
    Reshape 14 T,q T T=?bBhHiIqQewfd
    Reshape 19 T,q T T=?bBhHiIqQewfd
    Reshape 21 T,q T T=?bBhHiIqQewfd
    Resize 13 T1,T2,f,q T1 T1=?bBhHiIqQewfd T2=efd
    Resize 18 T1,T2,f,q T1 T1=?bBhHiIqQewfd T2=efd
    Resize 19 T1,T2,f,q T1 T1=?bBhHiIqQewfd T2=efd
    ReverseSequence 10 T,q T T=?bBhHiIqQefd
    Round 11 T T T=efd
    STFT 17 T1,T2,T1,T2 T1 T1=ewfd T2=iq
    Scan 11 -* -* V=?bBhHiIqQefd
    Scan 16 -* -* V=?bBhHiIqQewfd
    Scan 19 -* -* V=?bBhHiIqQewfd
    Scan 21 -* -* V=?bBhHiIqQewfd
    ScatterND 13 T,q,T T T=?bBhHiIqQewfd
    ScatterND 16 T,q,T T T=?bBhHiIqQewfd
    ScatterND 18 T,q,T T T=?bBhHiIqQewfd
    Selu 6 T T T=efd
    Shape 13 T q T=?bBhHiIqQewfd
    Shape 15 T q T=?bBhHiIqQewfd
    Shape 19 T q T=?bBhHiIqQewfd
    Shape 21 T q T=?bBhHiIqQewfd
    Shrink 9 T T T=bBhHiIqQefd
    Sigmoid 13 T T T=ewfd
    Sign 13 T T T=bBhHiIqQewfd
    Sin 7 T T T=efd
    Sinh 9 T T T=efd
    Size 13 T q T=?bBhHiIqQewfd
    Size 19 T q T=?bBhHiIqQewfd
    Size 21 T q T=?bBhHiIqQewfd
    Slice 13 T,Tind,Tind,Tind,Tind T T=?bBhHiIqQewfd Tind=iq
    Softmax 13 T T T=ewfd
    Softplus 1 T T T=efd
    Softsign 1 T T T=efd
    SpaceToDepth 13 T T T=?bBhHiIqQewfd
    Split 13 T,q T* T=?bBhHiIqQewfd
    Split 18 T,q T* T=?bBhHiIqQewfd
    Sqrt 13 T T T=ewfd
    Squeeze 13 T,q T T=?bBhHiIqQewfd
    Squeeze 21 T,q T T=?bBhHiIqQewfd
    Sub 13 T,T T T=iIqQewfd
    Sub 14 T,T T T=bBhHiIqQewfd
    Sum 13 T* T T=ewfd
    Tan 7 T T T=efd
    Tanh 13 T T T=ewfd
    ThresholdedRelu 10 T T T=efd
    Tile 13 T,q T T=?bBhHiIqQewfd
    TopK 11 T,q T,q T=bBhHiIqQefd
    Transpose 13 T T T=?bBhHiIqQewfd
    Transpose 21 T T T=?bBhHiIqQewfd
    Trilu 14 T,q T T=?bBhHiIqQewfd
    Unsqueeze 13 T,q T T=?bBhHiIqQewfd
    Unsqueeze 21 T,q T T=?bBhHiIqQewfd
    Upsample 10 T,f T T=?bBhHiIqQefd
    Where 9 ?,T,T T T=?bBhHiIqQefd
    Where 16 ?,T,T T T=?bBhHiIqQewfd
    Xor 7 ?,? ?
    """
}
