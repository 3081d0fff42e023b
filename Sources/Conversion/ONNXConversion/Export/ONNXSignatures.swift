extension ONNXSignature {
  /// The types that operators of ONNX's opsets 13 to 23 take, one version of an operator in each line:
  /// its name, the first opset that has it, the types of its inputs and of its outputs, and the types
  /// that each variable may stand for, those with which onnxruntime does not compute after a comma.
  /// `*` repeats a type, `-` is any; the letters are those of ``letters``. Made by
  /// Tests/Peers/onnx_signatures.py from onnx' definitions and onnxruntime's kernels.
  static let table = """
    Abs 13 T T T=bBhHiIqQefd,w
    Acos 7 T T T=ef,d
    Acos 22 T T T=ef,wd
    Acosh 9 T T T=ef,d
    Acosh 22 T T T=ef,wd
    Add 13 T,T T T=iIqQefd,w
    Add 14 T,T T T=bBhHiIqQefd,w
    AffineGrid 20 T1,q T1 T1=efd,w
    And 7 ?,? ?
    ArgMax 13 T q T=bBiqefd,hHIQw
    ArgMin 13 T q T=bBiqefd,hHIQw
    Asin 7 T T T=ef,d
    Asin 22 T T T=ef,wd
    Asinh 9 T T T=ef,d
    Asinh 22 T T T=ef,wd
    Atan 7 T T T=ef,d
    Atan 22 T T T=ef,wd
    Atanh 9 T T T=ef,d
    Atanh 22 T T T=ef,wd
    Attention 23 T1,T1,T2,U,T1,T2 T1,T1,T2,T1 T1=ef,wd T2=ef,wd U=?ef,bBhHiIqQwd
    AveragePool 11 T T T=ef,d
    AveragePool 19 T T T=ef,d
    AveragePool 22 T T T=ef,wd
    BatchNormalization 9 T,T,T,T,T T,T,T,T,T T=efd
    BatchNormalization 14 T,T,T,U,U T,U,U T=efd,w U=efd,w
    BatchNormalization 15 T,T1,T1,T2,T2 T,T2,T2 T=efd,w T1=efd,w T2=efd,w
    BitShift 11 T,T T T=BIQ,H
    BitwiseAnd 18 T,T T T=bBhHiIqQ
    BitwiseNot 18 T T T=bBhHiIqQ
    BitwiseOr 18 T,T T T=bBhHiIqQ
    BitwiseXor 18 T,T T T=bBhHiIqQ
    BlackmanWindow 17 T1 T2 T1=iq T2=bBhHiIqQefd,w
    Cast 13 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Cast 19 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Cast 21 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Cast 23 T1 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 15 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 19 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 21 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    CastLike 23 T1,T2 T2 T1=?bBhHiIqQewfd T2=?bBhHiIqQewfd
    Ceil 13 T T T=efd,w
    Celu 12 f f
    CenterCropPad 18 T,Tind T T=?bBhHiIqQewfd Tind=iq
    Clip 13 T,T,T T T=bBiIqQefd,hHw
    Col2Im 18 T,q,q T T=ef,?bBhHiIqQwd
    Compress 11 T,? T T=?bBhHiIqQefd
    Concat 13 T* T T=?bBhHiIqQewfd
    ConcatFromSequence 11 S T S=- T=?bBhHiIqQefd
    Constant 13 - T T=?bBhHiIqQewfd
    Constant 19 - T T=?bBhHiIqQewfd
    Constant 21 - T T=?bBhHiIqQewfd
    Constant 23 - T T=?bBhHiIqQewfd
    ConstantOfShape 9 q T2 T2=?bBhHiIqQefd
    ConstantOfShape 20 q T2 T2=?bBhHiIqQewfd
    ConstantOfShape 21 q T2 T2=?bBhHiIqQewfd
    ConstantOfShape 23 q T2 T2=?bBhHiIqQewfd
    Conv 11 T,T,T T T=ef,d
    Conv 22 T,T,T T T=ef,wd
    ConvInteger 10 T1,T2,T1,T2 i T1=bB T2=bB
    ConvTranspose 11 T,T,T T T=ef,d
    ConvTranspose 22 T,T,T T T=ef,wd
    Cos 7 T T T=efd
    Cos 22 T T T=efd,w
    Cosh 9 T T T=ef,d
    Cosh 22 T T T=ef,wd
    CumSum 11 T,T2 T T=iqfd,IQ T2=iq
    CumSum 14 T,T2 T T=iqefd,IQw T2=iq
    DFT 17 T1,T2 T1 T1=efd,w T2=iq
    DFT 20 T1,T2,q T1 T1=efd,w T2=iq
    DeformConv 19 T,T,T,T,T T T=efd
    DeformConv 22 T,T,T,T,T T T=efd,w
    DepthToSpace 13 T T T=bBefd,?hHiIqQw
    DequantizeLinear 13 T,f,T f T=bBi
    DequantizeLinear 19 T1,T2,T1 T2 T1=bBi T2=ef,w
    DequantizeLinear 21 T1,T2,T1 T2 T1=bBhHi T2=ef,w
    DequantizeLinear 23 T1,T2,T1 T3 T1=bBhHi T2=ef,w T3=ef,w
    Det 11 T T T=ef,d
    Det 22 T T T=ef,wd
    Div 13 T,T T T=iIqQefd,w
    Div 14 T,T T T=bBhHiIqQefd,w
    Dropout 13 T,T1,? T,? T=efd,w T1=efd
    Dropout 22 T,T1,? T,? T=efd,w T1=efd,w
    DynamicQuantizeLinear 11 f B,f,B
    Einsum 12 T* T T=iqefd,bBhHIQ
    Elu 6 T T T=ef,d
    Elu 22 T T T=ef,wd
    Equal 13 T,T ? T=?bBhHiIqQefd,w
    Equal 19 T,T ? T=?bBhHiIqQefd,w
    Erf 13 T T T=ef,wd
    Exp 13 T T T=efd,w
    Expand 13 T,q T T=?bBhHiIqQefd,w
    EyeLike 9 T1 T2 T1=iqQefd,?bBhHI T2=iqQefd,?bBhHI
    EyeLike 22 T1 T2 T1=iqQefd,?bBhHIw T2=iqQefd,?bBhHIw
    Flatten 13 T T T=?bBhHiIqQewfd
    Flatten 21 T T T=?bBhHiIqQewfd
    Flatten 23 T T T=?bBhHiIqQewfd
    Floor 13 T T T=efd,w
    GRU 7 T,T,T,T,i,T T,T T=efd
    GRU 14 T,T,T,T,i,T T,T T=efd
    GRU 22 T,T,T,T,i,T T,T T=efd,w
    Gather 13 T,Tind T T=?bBhHiIqQewfd Tind=iq
    GatherElements 13 T,Tind T T=?bBhHiIqQewfd Tind=iq
    GatherND 13 T,q T T=?bBhHiIqQewfd
    Gelu 20 T T T=ef,wd
    Gemm 13 T,T,T T T=efd,iIqQw
    GlobalAveragePool 1 T T T=ef,d
    GlobalAveragePool 22 T T T=ef,wd
    GlobalLpPool 2 T T T=ef,d
    GlobalLpPool 22 T T T=ewfd
    GlobalMaxPool 1 T T T=ef,d
    GlobalMaxPool 22 T T T=ef,wd
    Greater 13 T,T ? T=bBhHiIqQefd,w
    GreaterOrEqual 12 T,T ? T=bBhHiIqQefd
    GreaterOrEqual 16 T,T ? T=bBhHiIqQefd,w
    GridSample 16 T1,T2 T1 T1=ef,?bBhHiIqQd T2=ef,d
    GridSample 20 T1,T2 T1 T1=efd,?bBhHiIqQ T2=efd
    GridSample 22 T1,T2 T1 T1=efd,?bBhHiIqQw T2=efd,w
    GroupNormalization 18 T,T,T T T=ewfd
    GroupNormalization 21 T,T,T T T=ewfd
    HammingWindow 17 T1 T2 T1=iq T2=bBhHiIqQefd,w
    HannWindow 17 T1 T2 T1=iq T2=bBhHiIqQefd,w
    HardSigmoid 6 T T T=ef,d
    HardSigmoid 22 T T T=ef,wd
    HardSwish 14 T T T=efd
    HardSwish 22 T T T=ewfd
    Hardmax 13 T T T=ef,wd
    Identity 13 T T T=?bBhHiIqQewfd
    Identity 14 V V V=?bBhHiIqQewfd
    Identity 16 V V V=?bBhHiIqQewfd
    Identity 19 V V V=?bBhHiIqQewfd
    Identity 21 V V V=?bBhHiIqQewfd
    Identity 23 V V V=?bBhHiIqQewfd
    If 13 ? -* V=?bBhHiIqQefd
    If 16 ? -* V=?bBhHiIqQewfd
    If 19 ? -* V=?bBhHiIqQewfd
    If 21 ? -* V=?bBhHiIqQewfd
    If 23 ? -* V=?bBhHiIqQewfd
    InstanceNormalization 6 T,T,T T T=ef,d
    InstanceNormalization 22 T,T,T T T=ef,wd
    IsInf 10 T1 ? T1=fd
    IsInf 20 T1 ? T1=ewfd
    IsNaN 13 T1 ? T1=efd,w
    IsNaN 20 T1 ? T1=ewfd
    LRN 13 T T T=ef,wd
    LSTM 7 T,T,T,T,i,T,T,T T,T,T T=efd
    LSTM 14 T,T,T,T,i,T,T,T T,T,T T=efd
    LSTM 22 T,T,T,T,i,T,T,T T,T,T T=efd,w
    LayerNormalization 17 T,T,T T,U,U T=ewfd U=f,w
    LeakyRelu 6 T T T=ef,d
    LeakyRelu 16 T T T=ef,wd
    Less 13 T,T ? T=bBhHiIqQefd,w
    LessOrEqual 12 T,T ? T=bBhHiIqQefd
    LessOrEqual 16 T,T ? T=bBhHiIqQefd,w
    Log 13 T T T=efd,w
    LogSoftmax 13 T T T=efd,w
    Loop 13 q,?,-* -* V=?bBhHiIqQefd
    Loop 16 q,?,-* -* V=?bBhHiIqQewfd
    Loop 19 q,?,-* -* V=?bBhHiIqQewfd
    Loop 21 q,?,-* -* V=?bBhHiIqQewfd
    Loop 23 q,?,-* -* V=?bBhHiIqQewfd
    LpNormalization 1 T T T=efd
    LpNormalization 22 T T T=efd,w
    LpPool 11 T T T=ef,d
    LpPool 18 T T T=ef,d
    LpPool 22 T T T=ef,wd
    MatMul 13 T,T T T=iIqQefd,w
    MatMulInteger 10 T1,T2,T1,T2 i T1=bB T2=bB
    Max 13 T* T T=bBiIqQefd,hHw
    MaxPool 12 T T,q T=bBefd
    MaxPool 22 T T,q T=bBefd,w
    MaxUnpool 11 T1,q,q T1 T1=ef,d
    MaxUnpool 22 T1,q,q T1 T1=ef,wd
    Mean 13 T* T T=ef,wd
    MeanVarianceNormalization 13 T T T=ef,wd
    MelWeightMatrix 17 T1,T1,T1,T2,T2 T3 T1=iq T2=ef,wd T3=bBhHiIqQefd,w
    Min 13 T* T T=bBiIqQefd,hHw
    Mish 18 T T T=efd
    Mish 22 T T T=ewfd
    Mod 13 T,T T T=bBhHiIqQefd,w
    Mul 13 T,T T T=iIqQefd,w
    Mul 14 T,T T T=bBhHiIqQefd,w
    Neg 13 T T T=bhiqefd,w
    NegativeLogLikelihoodLoss 13 T,Tind,T T T=efd Tind=iq
    NegativeLogLikelihoodLoss 22 T,Tind,T T T=ewfd Tind=iq
    NonMaxSuppression 11 f,f,q,f,f q
    NonZero 13 T q T=?Biqef,bhHIQwd
    Not 1 ? ?
    OneHot 11 T1,T2,T3 T3 T1=iqef,bBhHIQd T2=iqef,bBhHIQd T3=iqef,?bBhHIQd
    Optional 15 V O V=?bBhHiIqQefd O=-
    OptionalGetElement 15 O V O=- V=?bBhHiIqQefd
    OptionalGetElement 18 O V O=?bBhHiIqQefd V=?bBhHiIqQefd
    OptionalHasElement 15 O ? O=-
    OptionalHasElement 18 O ? O=?bBhHiIqQefd
    Or 7 ?,? ?
    PRelu 9 T,T T T=ef,iIqQd
    PRelu 16 T,T T T=ef,iIqQwd
    Pad 13 T,q,T T T=?bBiIqQefd,hHw
    Pad 18 T,q,T,Tind T T=?bBiIqQefd,hHw Tind=iq
    Pad 19 T,q,T,Tind T T=?bBiIqQefd,hHw Tind=iq
    Pad 21 T,q,T,Tind T T=?bBiIqQefd,hHw Tind=iq
    Pad 23 T,q,T,Tind T T=?bBiIqQefd,hHw Tind=iq
    Pow 13 T,T1 T T=iqefd,w T1=iqefd,bBhHIQ
    Pow 15 T,T1 T T=iqefd,w T1=iqefd,bBhHIQw
    QLinearConv 10 T1,f,T1,T2,f,T2,f,T3,i T3 T1=bB T2=bB T3=bB
    QLinearMatMul 10 T1,f,T1,T2,f,T2,f,T3 T3 T1=bB T2=bB T3=bB
    QLinearMatMul 21 T1,TS,T1,T2,TS,T2,TS,T3 T3 TS=ef,w T1=bB T2=bB T3=bB
    QuantizeLinear 13 T1,f,T2 T2 T1=f,i T2=bB
    QuantizeLinear 19 T1,T1,T2 T2 T1=ef,iw T2=bB
    QuantizeLinear 21 T1,T1,T2 T2 T1=ef,iw T2=bBhH
    QuantizeLinear 23 T1,T2,T3 T3 T1=ef,iw T2=ef,iw T3=bBhH
    RMSNormalization 23 T,V V T=efd,w V=efd,w
    RNN 7 T,T,T,T,i,T T,T T=ef,d
    RNN 14 T,T,T,T,i,T T,T T=ef,d
    RNN 22 T,T,T,T,i,T T,T T=ef,wd
    Range 11 T,T,T T T=hiqfd
    Reciprocal 13 T T T=efd,w
    ReduceL1 13 T T T=iqefd,IQw
    ReduceL1 18 T,q T T=iqefd,IQw
    ReduceL2 13 T T T=iqefd,IQw
    ReduceL2 18 T,q T T=iqefd,IQw
    ReduceLogSum 13 T T T=iqefd,IQw
    ReduceLogSum 18 T,q T T=iqefd,IQw
    ReduceLogSumExp 13 T T T=iqefd,IQw
    ReduceLogSumExp 18 T,q T T=iqefd,IQw
    ReduceMax 13 T T T=bBiqefd,IQw
    ReduceMax 18 T,q T T=bBiqefd,IQw
    ReduceMax 20 T,q T T=?bBiqefd,IQw
    ReduceMean 13 T T T=iqefd,IQw
    ReduceMean 18 T,q T T=iqefd,IQw
    ReduceMin 13 T T T=bBiqefd,IQw
    ReduceMin 18 T,q T T=bBiqefd,IQw
    ReduceMin 20 T,q T T=?bBiqefd,IQw
    ReduceProd 13 T T T=iqefd,IQw
    ReduceProd 18 T,q T T=iqefd,IQw
    ReduceSum 13 T,q T T=iqefd,IQw
    ReduceSumSquare 13 T T T=iqefd,IQw
    ReduceSumSquare 18 T,q T T=iqefd,IQw
    Relu 13 T T T=efd,w
    Relu 14 T T T=biefd,hqw
    Reshape 13 T,q T T=?bBhHiIqQewfd
    Reshape 14 T,q T T=?bBhHiIqQewfd
    Reshape 19 T,q T T=?bBhHiIqQewfd
    Reshape 21 T,q T T=?bBhHiIqQewfd
    Reshape 23 T,q T T=?bBhHiIqQewfd
    Resize 13 T1,T2,f,q T1 T1=bBief,?hHIqQwd T2=efd
    Resize 18 T1,T2,f,q T1 T1=bBief,?hHIqQwd T2=efd
    Resize 19 T1,T2,f,q T1 T1=bBief,?hHIqQwd T2=efd
    ReverseSequence 10 T,q T T=?bBhHiIqQefd
    RoiAlign 10 T1,T1,q T1 T1=efd
    RoiAlign 16 T1,T1,q T1 T1=efd
    RoiAlign 22 T1,T1,q T1 T1=ewfd
    RotaryEmbedding 23 T,T,T,q T T=ef,w
    Round 11 T T T=efd
    Round 22 T T T=efd,w
    STFT 17 T1,T2,T1,T2 T1 T1=efd,w T2=iq
    Scan 11 -* -* V=?bBhHiIqQefd
    Scan 16 -* -* V=?bBhHiIqQewfd
    Scan 19 -* -* V=?bBhHiIqQewfd
    Scan 21 -* -* V=?bBhHiIqQewfd
    Scan 23 -* -* V=?bBhHiIqQewfd
    Scatter 11 T,Tind,T T T=?bBhHiIqQefd Tind=iq
    ScatterElements 13 T,Tind,T T T=?bBhHiIqQewfd Tind=iq
    ScatterElements 16 T,Tind,T T T=?bBhHiIqQewfd Tind=iq
    ScatterElements 18 T,Tind,T T T=?bBhHiIqQewfd Tind=iq
    ScatterND 13 T,q,T T T=?bBhHiIqQewfd
    ScatterND 16 T,q,T T T=?bBhHiIqQewfd
    ScatterND 18 T,q,T T T=?bBhHiIqQewfd
    Selu 6 T T T=ef,d
    Selu 22 T T T=ef,wd
    SequenceAt 11 S,I T S=- T=?bBhHiIqQefd I=iq
    SequenceConstruct 11 T* S T=?bBhHiIqQefd S=-
    SequenceEmpty 11 - S S=-
    SequenceErase 11 S,I S S=- I=iq
    SequenceInsert 11 S,T,I S T=?bBhHiIqQefd S=- I=iq
    SequenceLength 11 S q S=-
    Shape 13 T q T=?bBhHiIqQewfd
    Shape 15 T q T=?bBhHiIqQewfd
    Shape 19 T q T=?bBhHiIqQewfd
    Shape 21 T q T=?bBhHiIqQewfd
    Shape 23 T q T=?bBhHiIqQewfd
    Shrink 9 T T T=bBhHiIqQefd
    Sigmoid 13 T T T=efd,w
    Sign 13 T T T=bBhHiIqQewfd
    Sin 7 T T T=efd
    Sin 22 T T T=efd,w
    Sinh 9 T T T=ef,d
    Sinh 22 T T T=ef,wd
    Size 13 T q T=?bBhHiIqQefd,w
    Size 19 T q T=?bBhHiIqQefd,w
    Size 21 T q T=?bBhHiIqQefd,w
    Size 23 T q T=?bBhHiIqQefd,w
    Slice 13 T,Tind,Tind,Tind,Tind T T=?bBhHiIqQewfd Tind=iq
    Softmax 13 T T T=efd,w
    SoftmaxCrossEntropyLoss 13 T,Tind,T T,T T=ewfd Tind=iq
    Softplus 1 T T T=ef,d
    Softplus 22 T T T=ef,wd
    Softsign 1 T T T=ef,d
    Softsign 22 T T T=ef,wd
    SpaceToDepth 13 T T T=bBefd,?hHiIqQw
    Split 13 T,q T* T=?bBhHiIqQewfd
    Split 18 T,q T* T=?bBhHiIqQewfd
    SplitToSequence 11 T,I S T=?iqefd,bBhHIQ I=iq S=-
    Sqrt 13 T T T=efd,w
    Squeeze 13 T,q T T=?bBhHiIqQewfd
    Squeeze 21 T,q T T=?bBhHiIqQewfd
    Squeeze 23 T,q T T=?bBhHiIqQewfd
    Sub 13 T,T T T=iIqQefd,w
    Sub 14 T,T T T=bBhHiIqQefd,w
    Sum 13 T* T T=efd,w
    Tan 7 T T T=ef,d
    Tan 22 T T T=ef,wd
    Tanh 13 T T T=efd,w
    ThresholdedRelu 10 T T T=ef,d
    ThresholdedRelu 22 T T T=ef,wd
    Tile 13 T,q T T=?bBhHiIqQefd,w
    TopK 11 T,q T,q T=bBhiqefd,HIQ
    Transpose 13 T T T=?bBhHiIqQewfd
    Transpose 21 T T T=?bBhHiIqQewfd
    Transpose 23 T T T=?bBhHiIqQewfd
    Trilu 14 T,q T T=?iqefd,bBhHIQw
    Unique 11 T T,q,q,q T=bqefd,?BhHiIQ
    Unsqueeze 13 T,q T T=?bBhHiIqQewfd
    Unsqueeze 21 T,q T T=?bBhHiIqQewfd
    Unsqueeze 23 T,q T T=?bBhHiIqQewfd
    Upsample 10 T,f T T=?bBhHiIqQefd
    Where 9 ?,T,T T T=bBiIqefd,?hHQ
    Where 16 ?,T,T T T=bBiIqefd,?hHQw
    Xor 7 ?,? ?
    """
}
