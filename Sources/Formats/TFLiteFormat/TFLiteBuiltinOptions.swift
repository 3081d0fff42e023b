package import Bytes
package import FlatBuffers

/// The padding of a window, by its number in the schema.
package enum TFLitePadding: Int, Sendable {
  case same = 0
  case valid = 1
}

/// An activation as part of an operator, by its number in the schema.
package enum TFLiteActivation: Int, Sendable {
  case none = 0
  case relu = 1
  case relu6 = 3
  case tanh = 4
}

/// An operator that is not part of TFLite.
package struct TFLiteCustomOperator: Hashable, Sendable {
  package let name: String
  package let settings: FlexBufferMap
}

/// The options of an operator: a table, and its number in the schema's union.
package struct TFLiteBuiltinOptions: Hashable, Sendable {
  /// The number in the union `BuiltinOptions`.
  package let type: Int
  /// The fields.
  package let table: FlatBufferTable
  /// The name and the settings of a custom operator, which has no table.
  package private(set) var custom: TFLiteCustomOperator?

  /// The numbers of the fields with the activation, by the number of the type.
  private static let activationFields = [1: 3, 2: 4, 8: 0, 11: 0, 21: 0, 28: 0, 29: 0]

  /// The same with an activation; `nil` for operators without one, or with another one already.
  package func activated(_ activation: TFLiteActivation) -> Self? {
    guard let field = Self.activationFields[type], table.fields[field] == nil else { return nil }
    var fields = table.fields
    fields[field] = .byte(activation.rawValue)
    return Self(type, fields)
  }

  private init(_ type: Int, _ fields: [Int: FlatBufferValue] = [:]) {
    (self.type, table) = (type, FlatBufferTable(fields))
  }

  /// `Conv2DOptions`, for height and width.
  package static func convolution(
    _ padding: TFLitePadding, strides: [Int], dilation: [Int]
  ) -> Self {
    Self(
      1,
      [
        0: .byte(padding.rawValue), 1: .int(strides[1]), 2: .int(strides[0]),
        4: .int(dilation[1]), 5: .int(dilation[0]),
      ])
  }

  /// `DepthwiseConv2DOptions`.
  package static func depthwise(
    _ padding: TFLitePadding, strides: [Int], dilation: [Int], multiplier: Int
  ) -> Self {
    Self(
      2,
      [
        0: .byte(padding.rawValue), 1: .int(strides[1]), 2: .int(strides[0]),
        3: .int(multiplier), 5: .int(dilation[1]), 6: .int(dilation[0]),
      ])
  }

  /// `Conv3DOptions`, for depth, height and width.
  package static func convolution3D(
    _ padding: TFLitePadding, strides: [Int], dilation: [Int]
  ) -> Self {
    Self(
      106,
      [
        0: .byte(padding.rawValue), 1: .int(strides[0]), 2: .int(strides[2]),
        3: .int(strides[1]), 5: .int(dilation[0]), 6: .int(dilation[2]), 7: .int(dilation[1]),
      ])
  }

  /// `TransposeConvOptions`.
  package static func transposedConvolution(_ padding: TFLitePadding, strides: [Int]) -> Self {
    Self(49, [0: .byte(padding.rawValue), 1: .int(strides[1]), 2: .int(strides[0])])
  }

  /// `Pool2DOptions`.
  package static func pool(_ padding: TFLitePadding, strides: [Int], size: [Int]) -> Self {
    Self(
      5,
      [
        0: .byte(padding.rawValue), 1: .int(strides[1]), 2: .int(strides[0]), 3: .int(size[1]),
        4: .int(size[0]),
      ])
  }

  /// `FullyConnectedOptions`.
  package static func dense(keepsDimensions: Bool) -> Self {
    Self(8, keepsDimensions ? [2: .bool(true)] : [:])
  }

  /// `SoftmaxOptions`.
  package static let softmax = Self(9, [0: .float(1)])

  /// `ConcatenationOptions`.
  package static func concatenation(axis: Int) -> Self { Self(10, [0: .int(axis)]) }

  /// `AddOptions`, `MulOptions`, `SubOptions` and `DivOptions`, without fields.
  package static func arithmetic(_ builtin: TFLiteBuiltin) -> Self? {
    let types: [TFLiteBuiltin: Int] = [.add: 11, .multiply: 21, .subtract: 28, .divide: 29]
    return types[builtin].map { Self($0) }
  }

  /// `ResizeBilinearOptions`.
  package static func bilinear(alignCorners: Bool, halfPixel: Bool) -> Self {
    Self(15, [2: .bool(alignCorners), 3: .bool(halfPixel)])
  }

  /// `ResizeNearestNeighborOptions`.
  package static func nearest(alignCorners: Bool, halfPixel: Bool) -> Self {
    Self(74, [0: .bool(alignCorners), 1: .bool(halfPixel)])
  }

  /// `SpaceToDepthOptions`.
  package static func spaceToDepth(block: Int) -> Self { Self(19, [0: .int(block)]) }

  /// `DepthToSpaceOptions`.
  package static func depthToSpace(block: Int) -> Self { Self(94, [0: .int(block)]) }

  /// `GatherOptions`.
  package static func gather(axis: Int, batchAxes: Int) -> Self {
    Self(23, [0: .int(axis), 1: .int(batchAxes)])
  }

  /// `ReducerOptions`.
  package static func reduction(keepDims: Bool) -> Self { Self(27, [0: .bool(keepDims)]) }

  /// `SqueezeOptions`.
  package static func squeeze(_ axes: [Int]) -> Self { Self(30, [0: .ints(axes)]) }

  /// `StridedSliceOptions`; the masks have a bit for each axis whose end is that of the tensor.
  package static func slice(beginMask: Int, endMask: Int) -> Self {
    Self(32, [0: .int(beginMask), 1: .int(endMask)])
  }

  /// `SplitVOptions`.
  package static func split(count: Int) -> Self { Self(79, [0: .int(count)]) }

  /// `CastOptions`.
  package static func cast(from old: ElementType, to new: ElementType) -> Self {
    Self(37, [0: .byte(old.tfliteNumber), 1: .byte(new.tfliteNumber)])
  }

  /// `ArgMaxOptions` and `ArgMinOptions`.
  package static func argument(_ builtin: TFLiteBuiltin, _ type: ElementType) -> Self {
    Self(builtin == .argMin ? 57 : 40, [0: .byte(type.tfliteNumber)])
  }

  /// `ShapeOptions`.
  package static func shape(_ type: ElementType) -> Self {
    Self(55, [0: .byte(type.tfliteNumber)])
  }

  /// `OneHotOptions`.
  package static func oneHot(axis: Int) -> Self { Self(61, [0: .int(axis)]) }

  /// `LeakyReluOptions`.
  package static func leakyReLU(slope: Double) -> Self { Self(75, [0: .float(Float(slope))]) }

  /// `MirrorPadOptions`.
  package static func mirrorPad(repeatsEdge: Bool) -> Self {
    Self(77, [0: .byte(repeatsEdge ? 1 : 0)])
  }

  /// `BatchMatMulOptions`.
  package static func matMul(transposeA: Bool, transposeB: Bool) -> Self {
    Self(101, [0: .bool(transposeA), 1: .bool(transposeB)])
  }

  /// `CumsumOptions`.
  package static func cumulativeSum(isExclusive: Bool, isReversed: Bool) -> Self {
    Self(102, [0: .bool(isExclusive), 1: .bool(isReversed)])
  }

  /// `UnidirectionalSequenceLSTMOptions`, with the batch before the time.
  package static let sequenceLSTM = Self(71, [0: .byte(TFLiteActivation.tanh.rawValue)])

  /// `IfOptions`, with the positions of graphs.
  package static func branches(then first: Int, else second: Int) -> Self {
    Self(92, [0: .int(first), 1: .int(second)])
  }

  /// `WhileOptions`, with the positions of graphs.
  package static func loop(condition: Int, body: Int) -> Self {
    Self(93, [0: .int(condition), 1: .int(body)])
  }

  /// Those of a custom operator.
  package static func custom(_ name: String, _ settings: FlexBufferMap) -> Self {
    var options = Self(0)
    options.custom = TFLiteCustomOperator(name: name, settings: settings)
    return options
  }

  /// `GeluOptions`.
  package static func gelu(isApproximate: Bool) -> Self { Self(116, [0: .bool(isApproximate)]) }
}
