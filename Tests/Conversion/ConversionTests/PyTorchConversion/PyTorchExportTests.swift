import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import LayerCatalog
import PyTorchConversion
import SafetensorsFormat
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

/// The text of modules. `Tests/Peers/pytorch_peer.py` runs them in PyTorch.
@Suite struct PyTorchExportTests {
  private let classifier = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")

  @Test("Every operator has a row, or is made of operators that have one")
  func table() { expectCompleteTable(PyTorchOperators.kinds) }

  /// The files of a graph of one layer.
  private func files(
    _ operation: some Operator, of types: TensorType..., weights: [Tensor] = [],
    layer: String = "layer", options: PyTorchOptions = PyTorchOptions()
  ) throws -> PyTorchFiles {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    var inputs: [ValueID] = []
    for (position, type) in types.enumerated() {
      inputs.append(try builder.addInput("input_\(position)", type))
    }
    for (position, weight) in weights.enumerated() {
      inputs.append(try builder.addWeight("\(layer)/w\(position)", weight))
    }
    let results = try builder.addNode(
      operation, inputs: inputs, source: SourceScope(layer: layer, className: "Layer"))
    let graph = try builder.finish(
      outputs: results.prefix(1).map { Port(name: "result", value: $0) })
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let report = try content.export(to: folder.file("m.py"), as: .pyTorch(options))
    return try PyTorchFiles(report)
  }

  private func zeros(_ shape: Int...) -> Tensor {
    Tensor(.float32, shape: shape, [Double](repeating: 0, count: shape.reduce(1, *)))
  }

  private func convolution(_ strides: Int, _ padding: WindowPadding) -> Convolution {
    Convolution(
      window: Window(
        size: [3, 3], strides: [strides, strides], dilation: [1, 1], padding: padding),
      groups: 1, hasBias: false, layout: .channelsLast)
  }

  /// `nn.LSTM` returns its output and a tuple of both states.
  @Test("The states of an LSTM are one tuple, also where an initial state is computed in its call")
  func recurrentStates() throws {
    let model = try Model(contentsOf: Paths.sample("ONNX/shapes.onnx"))
    let folder = try TemporaryFolder()
    let report = try model.content.export(to: folder.file("m.py"), as: .pyTorch(PyTorchOptions()))
    let calls = try PyTorchFiles(report).lines.filter { $0.contains(" = self.LSTM") }
    #expect(calls.count == 1)
    #expect(calls.allSatisfy { $0.hasPrefix("_, (z, _) = self.LSTM_20_direction_0(") })
  }

  @Test("The states of a recurrent layer come with its sequence")
  func returnedStates() throws {
    let type = TensorType(.float32, [.symbolic("batch"), 5, 3])
    let lstm = LSTM(
      recurrence: recurrence(.none), bias: .none, activation: .tanh, recurrentActivation: .sigmoid)
    var builder = GraphBuilder()
    let x = try builder.addInput("x", type)
    let weights = [
      try builder.addWeight("lstm/w", zeros(8, 3)), try builder.addWeight("lstm/u", zeros(8, 2)),
    ]
    let results = try builder.addNode(
      lstm, inputs: [x] + weights, source: SourceScope(layer: "lstm", className: "LSTM"))
    let graph = try builder.finish(
      outputs: results.enumerated().map { Port(name: "y\($0)", value: $1) })
    let folder = try TemporaryFolder()
    let report = try ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance()
    ).export(to: folder.file("m.py"), as: .pyTorch())
    let lines = try PyTorchFiles(report).lines
    #expect(lines.contains { $0.hasPrefix("x, (y, z) = self.lstm(x)") }, "\(lines)")
    #expect(!lines.contains("x = x"))
  }

  @Test("A layer is a submodule with its name, and images are channels first")
  func layer() throws {
    let type = TensorType(.float32, [.symbolic("batch"), 8, 8, 3])
    let kernel = zeros(4, 3, 3, 3)
    let usual = try files(convolution(1, .same), of: type, weights: [kernel], layer: "3_conv")
    #expect(usual.lines.contains("self.conv_3 = nn.Conv2d(3, 4, 3, padding=1, bias=False)"))
    #expect(usual.lines.contains("x = self.conv_3(x)  # [batch, 4, 8, 8]"))
    #expect(usual.names == ["conv_3.weight"] && usual.problem == nil)
    var options = PyTorchOptions()
    options.layout = .source
    let kept = try files(convolution(1, .same), of: type, weights: [kernel], options: options)
    #expect(kept.text.contains("self.layer(x.permute(0, 3, 1, 2))"))
    #expect(kept.text.contains(".permute(0, 2, 3, 1)"))
  }

  @Test("The padding of an even stride is exact, whether the size is known or not")
  func padding() throws {
    let kernel = zeros(4, 3, 3, 3)
    let known = try files(
      convolution(2, .same), of: TensorType(.float32, [1, 8, 8, 3]), weights: [kernel])
    #expect(known.text.contains("self.layer(F.pad(x, [0, 1, 0, 1]))"))
    #expect(!known.text.contains("def pad_same"))
    let open = try files(
      convolution(2, .same), of: TensorType(.float32, [1, .unknown, .unknown, 3]),
      weights: [kernel])
    #expect(open.text.contains("self.layer(pad_same(x, [3, 3], [2, 2]))"))
    #expect(open.text.contains("def pad_same(x: Tensor, size: list[int], stride: list[int]"))
    let unreached = WindowPadding.explicit(before: [0, 0], after: [1, 1])
    let even = try files(
      MaxPooling(
        window: Window(size: [2, 2], strides: [2, 2], dilation: [1, 1], padding: unreached),
        layout: .channelsFirst), of: TensorType(.float32, [1, 3, 8, 8]))
    #expect(even.text.contains("F.max_pool2d(x, 2, 2)"))
  }

  @Test("A normalization has all that PyTorch's has")
  func normalization() throws {
    let vector = Tensor(.float32, shape: [3], [1, 2, 3])
    let files = try files(
      BatchNormalization(axis: 1, epsilon: 1e-3, hasScale: false, hasCenter: true),
      of: TensorType(.float32, [1, 3, 4, 4]), weights: [vector, vector, vector])
    #expect(
      files.lines.contains("self.layer = nn.BatchNorm2d(3, eps=0.001, momentum=0.01)"))
    #expect(
      Set(files.names)
        == Set(
          ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"].map {
            "layer.\($0)"
          }))
  }

  @Test("A group normalization along the last axis gets a copy of its transposed input")
  func groupNormalization() throws {
    let files = try files(
      GroupNormalization(groups: 2, axis: 2, epsilon: 1e-3, hasScale: true, hasCenter: true),
      of: TensorType(.float32, [2, 5, 4]), weights: [zeros(4), zeros(4)])
    #expect(
      files.text.contains("self.layer(x.movedim(2, 1).contiguous()).movedim(1, 2)"),
      "\(files.text)")
  }

  @Test("What a layer does in training only is PyTorch's, along the same axes")
  func noise() throws {
    let image = TensorType(.float32, [.symbolic("batch"), 3, 8, 8])
    for (noise, expected) in [
      (TrainingNoise(.dropout, rate: 0.25), "self.layer = nn.Dropout(0.25)"),
      (TrainingNoise(.dropout, rate: 0.5, sharedAxes: [2, 3]), "self.layer = nn.Dropout2d(0.5)"),
      (TrainingNoise(.alphaDropout, rate: 0.1), "self.layer = nn.AlphaDropout(0.1)"),
      (
        TrainingNoise(.gaussianNoise, rate: 2),
        "x = training_noise(x, \"gaussian_noise\", 2.0, [], self.training)"
      ),
      (
        TrainingNoise(.dropout, rate: 0.5, sharedAxes: [1]),
        "x = training_noise(x, \"dropout\", 0.5, [1], self.training)"
      ),
    ] {
      let files = try files(Identity(noise: noise), of: image)
      #expect(files.lines.contains { $0.contains(expected) }, "\(files.text)")
      #expect(files.names.isEmpty && files.problem == nil)
    }
    let words = try files(
      Identity(noise: TrainingNoise(.dropout, rate: 0.5)), of: TensorType(.int32, [1, 3]))
    #expect(!words.text.contains("Dropout"))
  }

  @Test("Dropout inside of recurrent and attention layers acts in training")
  func innerDropout() throws {
    let weights = [zeros(8, 3), zeros(8, 2), zeros(8)]
    let lstm = { (dropout: Double?) in
      LSTM(
        recurrence: Recurrence(
          isReversed: false, returnsSequences: true, hasInitialStates: false, mask: .none,
          dropout: dropout, stateDropout: dropout), bias: .input, activation: .tanh,
        recurrentActivation: .sigmoid)
    }
    let type = TensorType(.float32, [.symbolic("batch"), 5, 3])
    let dropped = try files(lstm(0.25), of: type, weights: weights)
    #expect(
      dropped.text.contains(
        "self.layer(training_noise(x, \"dropout\", 0.25, [1], self.training))"))
    #expect(dropped.lines.contains("kept = F.dropout(torch.ones_like(h), 0.25, self.training)"))
    #expect(dropped.lines.contains("h, c = self.step(x[:, t], h * kept, c)"))
    #expect(dropped.notes.isEmpty)
    let plain = try files(lstm(nil), of: type, weights: weights)
    #expect(!plain.text.contains("dropout") && plain.notes.isEmpty)
    let heads = TensorType(.float32, [2, 5, 4, 3])
    let masking = AttentionMasking(
      isCausal: true, hasMask: false, fullyMaskedRows: .mean, dropout: 0.25)
    let attended = try files(
      DotProductAttention(axes: [1], scale: 0.5, masking: masking, returnsAttentionWeights: false),
      of: heads, heads, heads)
    #expect(attended.lines.contains("self.layer = nn.Dropout(0.25)"), "\(attended.text)")
  }

  @Test("The momentum of a normalization is that of the new statistics")
  func momentum() throws {
    let vector = Tensor(.float32, shape: [3], [1, 2, 3])
    for (momentum, expected) in [(0.9, "0.1"), (0.997, "0.003"), (0.99, "0.01"), (1, "0.0")] {
      let files = try files(
        BatchNormalization(
          axis: 1, epsilon: 1e-3, hasScale: true, hasCenter: true, momentum: momentum),
        of: TensorType(.float32, [1, 3, 4, 4]), weights: [vector, vector, vector, vector])
      #expect(
        files.lines.contains("self.layer = nn.BatchNorm2d(3, eps=0.001, momentum=\(expected))"))
    }
  }

  @Test("A quotient is rounded to the model's type before it is rounded down")
  func floorOfQuotient() throws {
    let operation = BinaryMath(.floorDivide)
    for (type, expected) in [
      (ElementType.float32, "torch.floor(input_0 / input_1)"),
      (.int32, "torch.div(input_0, input_1, rounding_mode=\"floor\")"),
      (
        .float16,
        "torch.floor(input_0.to(torch.float16) / input_1.to(torch.float16)).to(torch.float32)"
      ),
    ] {
      let files = try files(operation, of: TensorType(type, [1, 3]), TensorType(type, [1, 3]))
      #expect(files.text.contains(expected), "\(files.text)")
    }
    let double = TensorType(.float64, [1, 3])
    let error = failure { _ = try files(operation, of: double, double) }
    #expect(error?.code == .unsupported && error?.reason.contains("divides float64") == true)
  }

  @Test("An index below zero counts from the end only where the source's does")
  func negativeIndices() throws {
    let type = TensorType(.int32, [1, 3])
    let table = zeros(5, 2)
    let fromEnd = try files(Embedding(negativeIndices: .fromEnd), of: type, weights: [table])
    #expect(
      fromEnd.text.contains("self.layer(torch.where(x < 0, x + 5, x))"), "\(fromEnd.text)")
    #expect(!fromEnd.lines.contains("x = x"))
    let other = try files(Embedding(), of: type, weights: [table])
    #expect(other.text.contains("self.layer(x)"))
  }

  @Test("What computes an interpolation is not trained, and keeps its precision")
  func constants() throws {
    var options = PyTorchOptions()
    options.precision = .float16
    let resizing = Resizing(
      dimensions: [5, 7], interpolation: .bicubic, antialiases: false, fit: .stretch,
      layout: .channelsFirst, grid: .halfPixel)
    let files = try files(
      resizing, of: TensorType(.float32, [1, 3, 8, 8]), options: options)
    let layers = files.lines.filter { $0.contains(" = nn.Linear(") }
    #expect(!layers.isEmpty && files.weights.tensors.count == layers.count)
    #expect(layers.allSatisfy { $0.hasSuffix("bias=False).requires_grad_(False)") }, "\(layers)")
    #expect(files.weights.tensors.allSatisfy { $0.elementType == .float32 })
  }

  @Test("A weight in another shape is trained, too")
  func reshapedWeights() throws {
    let files = try files(
      RMSNormalization(axes: [1], denominator: .meanSquare, epsilon: 1e-3),
      of: TensorType(.float32, [1, 3, 4, 4]), weights: [zeros(3)])
    #expect(files.lines.contains("self.layer_w0 = nn.Parameter(torch.zeros((1, 3, 1, 1)))"))
    #expect(!files.text.contains("register_buffer"), "\(files.text)")
  }

  @Test("What a rounded interpolation may become is said")
  func roundedInterpolation() throws {
    let folder = try TemporaryFolder()
    for isRounded in [true, false] {
      var builder = GraphBuilder()
      let x = try builder.addInput("x", TensorType(.float32, [1, 3, 8, 8]))
      let resizing = Resizing(
        dimensions: [5, 7], interpolation: .bilinear, antialiases: false, fit: .stretch,
        layout: .channelsFirst, grid: .halfPixel)
      let resized = try builder.addNode(
        resizing, inputs: [x], source: SourceScope(layer: "resized", className: "Resizing"))
      let function: any Operator = isRounded ? UnaryMath(.round) : UnaryMath(.absolute)
      let results = try builder.addNode(
        function, inputs: resized, source: SourceScope(layer: "result", className: "Function"))
      let graph = try builder.finish(outputs: [Port(name: "y", value: results[0])])
      let report = try ModelContent(
        graph: graph, description: ModelDescription(), provenance: Provenance()
      ).export(to: folder.file("\(isRounded).py"), as: .pyTorch())
      #expect(report.notes.contains { $0.hasPrefix("resized rounds an inter") } == isRounded)
    }
  }

  @Test(
    "A detector decodes boxes alike, whether its image is described or not",
    arguments: [ExportLayout.nchw, .source])
  func detector(_ layout: ExportLayout) throws {
    let folder = try TemporaryFolder()
    var options = PyTorchOptions()
    options.layout = layout
    var methods: [[String]] = []
    for isDescribed in [true, false] {
      var model = try Model(contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5"))
      var edit = DescriptionEdit()
      edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
      if isDescribed { edit.images = [.init(input: model.metadata.inputs[0].name)] }
      try model.describe(edit)
      let report = try model.content.export(
        to: folder.file("\(isDescribed).py"), as: .pyTorch(options))
      #expect(!report.notes.contains { $0.contains("decode") }, "\(report.notes)")
      let lines = try PyTorchFiles(report).lines
      let start = try #require(lines.firstIndex { $0.hasPrefix("def decode(") })
      methods.append(Array(lines[start...]))
    }
    #expect(methods[0] == methods[1])
  }

  private func recurrence(_ mask: StepMask) -> Recurrence {
    Recurrence(isReversed: false, returnsSequences: true, hasInitialStates: false, mask: mask)
  }

  @Test("A GRU is PyTorch's where that computes the same, and else a loop")
  func recurrent() throws {
    let weights = [zeros(6, 3), zeros(6, 2), zeros(2, 6)]
    let type = TensorType(.float32, [.symbolic("batch"), 5, 3])
    let cell = { (resetsAfter: Bool, mask: StepMask) in
      GRU(
        recurrence: self.recurrence(mask), bias: .separate, activation: .tanh,
        recurrentActivation: .sigmoid, resetsAfter: resetsAfter)
    }
    let own = try files(cell(true, .none), of: type, weights: weights)
    #expect(own.lines.contains("self.layer = nn.GRU(3, 2, batch_first=True)"))
    #expect(own.text.contains("self.layer(x)[0]") && own.problem == nil)
    let other = try files(cell(false, .none), of: type, weights: weights)
    #expect(other.lines.contains("class Recurrence(nn.Module):"))
    #expect(other.lines.contains("for t in range(x.shape[1]):"))
    #expect(other.problem == nil && other.names.contains { $0.hasPrefix("layer.") })
  }

  @Test("Names are identifiers, and neither Python's words nor members of nn.Module")
  func names() throws {
    for (name, expected) in [
      ("class", "class_2"), ("train", "train_2"), ("a-b.c/d", "a_b_c_d"), ("7", "layer_7"),
      ("größe", "gr_e"), ("", "layer"), ("7_dense", "dense_7"), ("forward", "forward_2"),
    ] {
      let files = try files(
        Dense(hasBias: false), of: TensorType(.float32, [1, 3]), weights: [zeros(2, 3)],
        layer: name)
      #expect(files.names == ["\(expected).weight"], "\(name)")
    }
  }

  @Test("Texts of the source stay texts")
  func texts() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: classifier)
    var edit = DescriptionEdit()
    edit.summary = "ends \"\"\"\nimport os\\"
    try model.describe(edit)
    let report = try model.export(to: folder.file("m.py"))
    let files = try PyTorchFiles(report)
    #expect(files.text.contains("ends '''"))
    #expect(!files.text.contains("\"\"\"\nimport os"))
    #expect(report.files == ["m.py", "m.safetensors"].map(folder.file))
  }

  @Test("The same model gives the same bytes, and what it repeats is a class")
  func determinism() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: classifier)
    try model.write(to: folder.file("m.wbm"))
    let first = try PyTorchFiles(try model.export(to: folder.file("a.py")))
    let second = try PyTorchFiles(
      try Model(contentsOf: folder.file("m.wbm")).export(to: folder.file("b.py")))
    #expect(first.text == second.text.replacing("b.safetensors", with: "a.safetensors"))
    #expect(
      try Files.read(folder.file("a.safetensors")) == Files.read(folder.file("b.safetensors")))
    #expect(first.problem == nil)
  }

  @Test("A block that repeats is a class of its own, with the numbers that differ as parameters")
  func blocks() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    var value = try builder.addInput("x", TensorType(.float32, [1, 4, 8, 8]))
    for block in 0..<12 {
      let start = value
      for (part, shape) in [("reduce", [2 + block, 4, 1, 1]), ("expand", [4, 2 + block, 1, 1])] {
        let name = "block_\(block)_\(part)"
        let kernel = Tensor(
          .float32, shape: shape, [Double](repeating: Double(block), count: shape.reduce(1, *)))
        value = try builder.addNode(
          Convolution(
            window: Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .valid),
            groups: 1, hasBias: false, layout: .channelsFirst),
          inputs: [value, try builder.addWeight("\(name)/kernel", kernel)],
          source: SourceScope(layer: name, className: "Conv2D"))[0]
      }
      value = try builder.addNode(
        Add(), inputs: [start, value],
        source: SourceScope(layer: "block_\(block)_add", className: "Add"))[0]
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    let report = try ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance()
    ).export(to: folder.file("m.py"), as: .pyTorch())
    let files = try PyTorchFiles(report)
    #expect(
      files.lines.contains("def __init__(self, reduce_out: int) -> None:"), "\(files.text)")
    #expect(files.lines.contains("self.block_3 = ResidualBlock(5)"))
    #expect(files.names.contains("block_7.expand.weight"), "\(files.names)")
    // The kernels of block 2 are equal, and two layers all the same, which training makes differ.
    #expect(files.names.count == 24, "\(files.names)")
    #expect(files.lines.count < 50 && files.problem == nil)
  }

  @Test("Matrices are stored in half precision on demand, and vectors are not")
  func precision() throws {
    var options = PyTorchOptions()
    options.precision = .float16
    let files = try files(
      Dense(hasBias: true), of: TensorType(.float32, [1, 3]), weights: [zeros(2, 3), zeros(2)],
      options: options)
    let types = files.weights.tensors.map { "\($0.name) \($0.elementType)" }
    #expect(Set(types) == ["layer.weight float16", "layer.bias float32"])
  }
}
