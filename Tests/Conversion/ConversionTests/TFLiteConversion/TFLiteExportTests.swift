import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import LayerCatalog
import TFLiteConversion
import TFLiteFormat
import TestSupport
import Testing
import Weighbridge

/// What the target has a form for. `Tests/Peers/tflite_peer.py` runs the files.
struct TFLiteExportTests {
  private let classifier = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")

  @Test("Every operator has a row, or is made of operators that have one")
  func table() { expectCompleteTable(TFLiteOperators.kinds) }

  @Test("The runtime of every operator is known", arguments: TFLiteBuiltin.allCases)
  func runtimes(builtin: TFLiteBuiltin) {
    // The first version of BROADCAST_TO was withdrawn.
    let version = builtin == .broadcastTo ? 2 : 1
    #expect(TFLiteRuntimeVersions.first(of: TFLiteOperatorCode(builtin, version: version)) != nil)
  }

  /// The file of a graph of one layer.
  private func file(
    _ operation: some Operator, of type: TensorType, weights: [Tensor] = [], outputs: Int = 1
  ) throws -> (file: TFLiteFile, notes: [String]) {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    var inputs = [try builder.addInput("x", type)]
    for (position, weight) in weights.enumerated() {
      inputs.append(try builder.addWeight("w\(position)", weight))
    }
    let results = try builder.addNode(
      operation, inputs: inputs, source: SourceScope(layer: "layer", className: "Layer"))
    let graph = try builder.finish(
      outputs: results.prefix(outputs).enumerated().map { Port(name: "y\($0)", value: $1) })
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let report = try content.export(to: folder.file("m.tflite"), as: .tflite())
    return (try TFLiteFile(folder.file("m.tflite")), report.notes)
  }

  @Test("An output with the name of an input gets another one, and is a copy of it")
  func outputOfAnInput() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.int64, [2, 3]))
    let graph = try builder.finish(outputs: [Port(name: "x", value: input)])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let report = try content.export(to: folder.file("m.tflite"), as: .tflite())
    #expect(report.notes.first == "the output x is called x_2")
    let model = try Model(contentsOf: folder.file("m.tflite"))
    #expect(model.inputs.map(\.name) == ["x"])
    #expect(model.outputs.map(\.name) == ["x_2"])
    let numbers: [Double] = [1, -2, 3, 4, 5, 6]
    let given = NamedTensor(name: "x", tensor: Tensor(.int64, shape: [2, 3], numbers))
    #expect(try model.run([given]).outputs.map(\.tensor.doubles) == [numbers])
  }

  @Test("The oldest runtime follows from the versions of the operators, and is said")
  func oldestRuntime() throws {
    let (old, oldNotes) = try file(Softmax(axes: [1]), of: TensorType(.float32, [1, 4]))
    #expect(old.runtime == "1.5.0" && oldNotes == ["it runs in TFLite 1.5.0 and later"])
    let border = [0, 1, 0, 0, 0]
    let (new, _) = try file(
      Pad(before: border, after: border, mode: .constant, value: 0),
      of: TensorType(.float32, [1, 2, 3, 4, 5]))
    #expect(new.operators == ["pad 4"] && new.runtime == "2.6.0")
  }

  private func lstm(_ recurrence: Recurrence) -> LSTM {
    LSTM(
      recurrence: recurrence, bias: .input, activation: .tanh, recurrentActivation: .sigmoid)
  }

  private var lstmWeights: [Tensor] {
    [[8, 3], [8, 2], [8]].map { shape in
      let count = shape.reduce(1, *)
      return Tensor(.float32, shape: shape, (0..<count).map { Double($0) / 10 - 0.4 })
    }
  }

  @Test("An LSTM is TFLite's own for a batch of known size, and a loop for many steps of others")
  func recurrent() throws {
    let recurrence = Recurrence(
      isReversed: false, returnsSequences: true, hasInitialStates: false, mask: .none)
    let (own, _) = try file(
      lstm(recurrence), of: TensorType(.float32, [1, .unknown, 3]), weights: lstmWeights)
    #expect(own.operators.contains("sequenceLSTM 1"))
    let (loop, _) = try file(
      lstm(recurrence), of: TensorType(.float32, [.unknown, .unknown, 3]), weights: lstmWeights)
    #expect(loop.operators.contains("whileLoop 1"))
    let (unrolled, _) = try file(
      lstm(recurrence), of: TensorType(.float32, [.unknown, 4, 3]), weights: lstmWeights)
    #expect(unrolled.operators.filter { $0 == "logistic 1" }.count == 12)
  }

  @Test("A step before the sequence clears the states that TFLite keeps from run to run")
  func clearedStates() throws {
    let recurrence = Recurrence(
      isReversed: true, returnsSequences: true, hasInitialStates: false, mask: .none)
    let (cleared, _) = try file(
      lstm(recurrence), of: TensorType(.float32, [2, 5, 3]), weights: lstmWeights)
    #expect(
      cleared.operators == [
        "reverse 1", "pad 1", "padWithValue 1", "sequenceLSTM 1", "stridedSlice 1", "reverse 1",
      ])
  }

  @Test("A recurrent convolution is written step by step")
  func recurrentConvolution() throws {
    let operation = ConvLSTM(
      window: Window(size: [3], strides: [1], dilation: [1], padding: .same),
      layout: .channelsLast,
      recurrence: Recurrence(
        isReversed: false, returnsSequences: false, hasInitialStates: false, mask: .none),
      hasBias: false, activation: .tanh, recurrentActivation: .sigmoid)
    let kernel = Tensor(.float32, shape: [8, 2, 3], (0..<48).map { Double($0) / 48 })
    let (steps, _) = try file(
      operation, of: TensorType(.float32, [.unknown, 3, 5, 2]), weights: [kernel, kernel])
    // The first state is 0, and so is its convolution.
    #expect(steps.operators.filter { $0 == "conv2D 1" }.count == 3 + 2)
  }

  @Test("Elements that single precision would confuse are found by the centers of pixels")
  func manyRepetitions() throws {
    for (factor, version) in [(2, 1), (40, 1), (41, 3), (82, 3)] {
      let (repeated, _) = try file(
        Upsampling(factors: [factor, 1], interpolation: .nearest, layout: .channelsLast),
        of: TensorType(.float32, [1, 4, 4, 2]))
      #expect(repeated.operators == ["resizeNearest \(version)"], "\(factor)")
    }
  }

  @Test("Operators whose kernels lack a type are written as others, or refused")
  func missingTypes() throws {
    let whole = TensorType(.int64, [2, 3])
    let (sizes, _) = try file(UnaryMath(.absolute), of: whole)
    #expect(sizes.operators == ["negative 1", "maximum 1"])
    let (parts, _) = try file(
      Split(axis: 1, sizes: [1, 2]), of: TensorType(.bool, [2, 3]), outputs: 2)
    #expect(parts.operators == ["stridedSlice 3", "stridedSlice 3"])
    let (padded, _) = try file(
      Pad(before: [0, 1], after: [0, 1], mode: .reflect, value: 0), of: TensorType(.bool, [2, 3]))
    #expect(padded.operators == ["cast 1", "mirrorPad 1", "cast 1"])
    let refusal = failure {
      _ = try file(ArgMax(axis: 1, keepDims: false, elementType: .int64), of: whole)
    }
    #expect(refusal?.reason.contains("takes int64, and TFLite's argMax takes other types") == true)
  }

  @Test("Functions that TFLite lacks are made of those that it has")
  func missingFunctions() throws {
    let numbers = TensorType(.float32, [2, 3])
    let (angle, _) = try file(UnaryMath(.arcTangent), of: numbers)
    #expect(angle.operators == ["shape 1", "fill 1", "arcTangent2 1"] && angle.runtime == "2.10.0")
    let (error, _) = try file(UnaryMath(.errorFunction), of: numbers)
    #expect(error.operators.filter { $0 == "exponential 1" }.count == 1)
    #expect(error.runtime == "2.11.0")
    let (halves, notes) = try file(
      MaxPooling(
        window: Window(size: [1, 2], strides: [1, 1], dilation: [1, 2], padding: .valid),
        layout: .channelsLast),
      of: TensorType(.float32, [.unknown, 4, 5, 2]))
    #expect(halves.operators == ["stridedSlice 1", "stridedSlice 1", "maximum 1"], "\(notes)")
  }

  @Test(
    "Types that TFLite's kernels lack are computed in float32, which is said",
    arguments: [ElementType.float16, .bfloat16, .float64])
  func replacedTypes(type: ElementType) throws {
    let kernel = Tensor(type, shape: [2, 3], [1, 2, 3, 4, 5, 6])
    let (dense, notes) = try file(
      Dense(hasBias: false), of: TensorType(type, [.unknown, 3]), weights: [kernel])
    #expect(notes.contains("\(type.rawValue) is computed in float32"))
    let isHalf = type == .float16
    #expect(dense.operators == (isHalf ? ["dequantize 3"] : []) + ["fullyConnected 1"])
    let (cast, _) = try file(Cast(to: .float32), of: TensorType(type, [2]))
    #expect(cast.operators == ["cast 1"])
    let divisors = Tensor(type, shape: [2], [3, 7])
    let refusal = failure {
      _ = try file(
        BinaryMath(.floorDivide), of: TensorType(type, [2]), weights: [divisors])
    }
    #expect(refusal?.reason.contains("divides \(type.rawValue)") == true)
  }

  @Test("Rectifiers have slopes and bounds of their own")
  func rectifiers() throws {
    let numbers = TensorType(.float32, [2, 3])
    let forms: [(slope: Double, maximum: Double?, operators: [String])] = [
      (0, nil, ["relu 1"]), (0, 6, ["relu6 1"]), (0, 4, ["relu 1", "minimum 1"]),
      (0.25, nil, ["leakyReLU 1"]), (0.25, 4, ["leakyReLU 1", "minimum 1"]),
    ]
    for form in forms {
      let operation = ReLU(slope: form.slope, threshold: 0, maximum: form.maximum)
      #expect(try file(operation, of: numbers).file.operators == form.operators)
    }
  }

  @Test("No kernel broadcasts more axes than the oldest runtimes can")
  func manyAxes() throws {
    let factors = Tensor(.float32, shape: [1, 1, 1, 1, 2], [3, 4])
    let (scaled, _) = try file(
      Multiply(), of: TensorType(.float32, [.unknown, 2, 3, 4, 2]), weights: [factors])
    #expect(scaled.operators == ["reshape 1", "multiply 1", "reshape 1"])
    let (plain, _) = try file(
      Multiply(), of: TensorType(.float32, [.unknown, 3, 4, 2]),
      weights: [factors.reshaped([1, 1, 1, 2])])
    #expect(plain.operators == ["multiply 1"])
  }

  @Test(
    "What interpreters would write over is copied if something else reads it", arguments: [1, 2])
  func sharedMemory(readerCount: Int) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    func add(_ operation: some Operator, _ inputs: ValueID...) throws -> ValueID {
      try builder.addNode(
        operation, inputs: inputs, source: SourceScope(layer: "layer", className: "Layer"))[0]
    }
    let input = try builder.addInput("x", TensorType(.float32, [1, 6]))
    let doubled = try add(Rescaling(scale: [2], offset: [0]), input)
    let column = try add(Reshape(target: [3, 2]), doubled)
    let row = try add(Reshape(target: [6]), column)
    var result = try add(Rescaling(scale: [1], offset: [1]), row)
    if readerCount > 1 {
      result = try add(Add(), try add(Reshape(target: [3, 2]), result), column)
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: result)])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    _ = try content.export(to: folder.file("m.tflite"), as: .tflite())
    let operators = try TFLiteFile(folder.file("m.tflite")).operators
    #expect(operators.contains("transpose 1") == (readerCount > 1), "\(operators)")
  }

  @Test("Sorting gives numbers and positions, along any axis")
  func sorting() throws {
    let (rising, _) = try file(
      Sort(axis: 1, isDescending: false, count: 2), of: TensorType(.float32, [2, 3]), outputs: 2)
    #expect(rising.operators == ["negative 1", "topK 1", "negative 1"])
    let (falling, _) = try file(
      Sort(axis: 0, isDescending: true), of: TensorType(.int32, [2, 3]), outputs: 2)
    #expect(falling.operators == ["transpose 1", "topK 1", "transpose 1", "transpose 1"])
  }

  @Test("Images of bytes are converted by TFLite")
  func bytes() throws {
    let (image, _) = try file(Cast(to: .float32), of: TensorType(.uint8, [.unknown, 4, 4, 3]))
    #expect(image.operators == ["cast 1"] && image.runtime == "1.5.0")
  }

  @Test("Activations are part of the operators before them")
  func activations() throws {
    let folder = try TemporaryFolder()
    try Model(contentsOf: classifier).export(to: folder.file("m.tflite"))
    let file = try TFLiteFile(folder.file("m.tflite"))
    #expect(file.operators.contains("conv2D 1") && !file.operators.contains("relu 1"))
  }

  @Test("Integers stay integers of 8 bits, and halves halves", arguments: ["int8", "float16"])
  func narrow(encoding: String) throws {
    var options = CompactOptions()
    options.budget = .encoding(encoding)
    let model = try Model(contentsOf: classifier).compacted(options)
    let folder = try TemporaryFolder()
    let path = folder.file("m.tflite")
    let notes = try model.export(to: path).notes
    #expect(!notes.contains { $0.contains("numbers of full size") }, "\(notes)")
    try model.write(to: folder.file("m.wbm"))
    let (size, expected) = (try Files.size(path), try Files.size(folder.file("m.wbm")))
    #expect(Double(size) < 1.03 * Double(expected), "\(size), and not \(expected)")
    let operators = try TFLiteFile(path).operators
    #expect(operators.contains(encoding == "int8" ? "dequantize 5" : "dequantize 3"))
  }
}
