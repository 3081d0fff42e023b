import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog
import Testing

@testable import KerasConversion

@Suite struct KerasFunctionTests {
  @Test("No function has two builders")
  func namesAreUnique() {
    let names = KerasFunctionTable.entries.flatMap(\.names)
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(counts.filter { $0.value > 1 }.keys.map(\.text).sorted() == [])
  }

  /// The graph of one call on inputs of given types.
  private func graph(
    _ name: KerasFunctionName, _ positional: [KerasOperand], named: [String: KerasOperand] = [:],
    settings: JSONObject = [:], on types: [TensorType], rules: IntegerRules = .wrapping
  ) throws -> Graph {
    var builder = GraphBuilder()
    let inputs = try types.enumerated().map { try builder.addInput("in\($0)", $1) }
    let layer = KerasLayer(
      source: SourceScope(layer: "function", className: name.text),
      writer: KerasProducer(version: KerasVersion(3, 15, 0), integerRules: rules), settings: [:],
      weights: .file([]),
      weightValues: [:],
      network: KerasNetwork(graph: builder))
    var function = try KerasFunction(
      name, layer: layer, inputs: inputs,
      operands: KerasOperands(positional: positional, named: named), settings: settings)
    let outputs = try function.build()
    return try function.layer.graph.finish(
      outputs: outputs.enumerated().map { Port(name: "out\($0)", value: $1) })
  }

  private let matrix = TensorType(.float32, [.symbolic("batch"), 3, 4])

  @Test("The order of a difference's operands is kept")
  func order() throws {
    let graph = try graph(.operation("Subtract"), [.value(1), .tensor(0)], on: [matrix])
    #expect(graph[graph.nodes[0].inputs[0]].constant?.doubles == [1])
    #expect(graph[graph.nodes[0].inputs[1]].name == "in0")
  }

  @Test("Keras 3 promotes, TensorFlow gives constants the tensor's type")
  func promotion() throws {
    let integers = TensorType(.int32, [.symbolic("batch"), 3])
    let sum = try graph(.operation("Add"), [.tensor(0), .value(.real(0.5))], on: [integers])
    #expect(sum[sum.outputs[0].value].type.elementType == .float32)
    let same = try graph(
      .tensorFlow("math.add"), [.tensor(0)], named: ["y": .value(2)], on: [integers])
    #expect(same[same.outputs[0].value].type == integers)
    let fraction = #expect(throws: WeighbridgeError.self) {
      try graph(
        .tensorFlow("math.add"), [.tensor(0)], named: ["y": .value(.real(0.5))], on: [integers])
    }
    #expect(fraction?.code == .unsupported)
    #expect(fraction?.reason.contains("numbers that are no int32") == true, "\(fraction as Any)")
  }

  @Test("An unread argument is an error, unless it is null or a name")
  func leftovers() throws {
    let name = KerasFunctionName.tensorFlow("nn.relu")
    let known: [String: KerasOperand] = ["name": .value("n"), "other": .value(.null)]
    #expect(try graph(name, [.tensor(0)], named: known, on: [matrix]).nodes.count == 1)
    for extra in [["other": KerasOperand.value(1)], ["other": .tensor(0)]] {
      let error = #expect(throws: WeighbridgeError.self) {
        try graph(name, [.tensor(0)], named: extra, on: [matrix])
      }
      #expect(error?.code == .unsupported)
    }
    let surplus = #expect(throws: WeighbridgeError.self) {
      try graph(name, [.tensor(0), .value(1)], on: [matrix])
    }
    #expect(surplus?.code == .unsupported)
    #expect(surplus?.reason.contains("too many") == true, "\(surplus as Any)")
  }

  @Test("A reshape that keeps the batch is the layer's")
  func batch() throws {
    func operation(_ shape: [JSONValue]) throws -> AnyHashable {
      let graph = try graph(
        .operation("Reshape"), [.tensor(0)], settings: ["newshape": .array(shape)], on: [matrix])
      return AnyHashable(graph.nodes[0].operation)
    }
    #expect(try operation([-1, 12]) == AnyHashable(Reshape(target: [12])))
    #expect(try operation([.null, 2, 6]) == AnyHashable(Reshape(target: [2, 6])))
    #expect(try operation([-1, 4]) == AnyHashable(ReshapeAxes([.rest, .fixed(4)])))
    let open = #expect(throws: WeighbridgeError.self) { try operation([-1, -1, 4]) }
    #expect(open?.code == .unsupported)
    #expect(open?.reason.contains("more than one size is not known") == true, "\(open as Any)")
    let negative = #expect(throws: WeighbridgeError.self) { try operation([2, -3]) }
    #expect(negative?.code == .malformed)
    #expect(negative?.reason.contains("the size -3") == true, "\(negative as Any)")
  }

  @Test("Slices select what Python's slices select", arguments: [-7, -3, -1, 0, 2, 5, 9])
  func slices(start: Int) throws {
    let tensor = Tensor(.float32, shape: [5], [0, 1, 2, 3, 4])
    for stop in [-9, -2, 0, 1, 3, 8] {
      for step in [-3, -1, 1, 2] {
        let slice = Slice([.init(axis: 0, start: start, stop: stop, step: step)])
        let actual = try slice.evaluate([tensor], workers: Workers(count: 1))[0].doubles
        #expect(actual == python(start, stop, step), "\(start):\(stop):\(step)")
      }
    }
  }

  @Test(
    "A slice that goes beyond its axis is refused, as by TensorFlow",
    arguments: [
      ([0, 4, 0], [-1, 0, 4]), ([0, 0, 5], [-1, 3, -1]), ([0, 2, 0], [-1, 2, 4]),
      ([0, 1, 0], [-1, .max, 4]), ([1, 0, 0], [.max, 3, 4]),
    ] as [([Int], [Int])])
  func longSlices(starts: [Int], sizes: [Int]) {
    let forms: [(KerasFunctionName, [String])] = [
      (.operation("Slice"), ["start_indices", "shape"]), (.tensorFlow("slice"), ["begin", "size"]),
    ]
    for (name, keys) in forms {
      let operands = zip(keys, [starts, sizes]).map { key, numbers in
        (key, KerasOperand.value(.array(numbers.map { .integer($0) })))
      }
      let error = #expect(throws: WeighbridgeError.self) {
        try graph(
          name, [.tensor(0)], named: Dictionary(uniqueKeysWithValues: operands), on: [matrix])
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.hasSuffix("which ends before") == true)
    }
  }

  @Test("A slice may end where its axis does")
  func wholeSlices() throws {
    let operands: [String: KerasOperand] = [
      "begin": .value([0, 1, 4]), "size": .value([-1, 2, 0]),
    ]
    let graph = try graph(.tensorFlow("slice"), [.tensor(0)], named: operands, on: [matrix])
    #expect(
      graph[graph.outputs[0].value].type.shape == [.symbolic("batch"), 2, 0])
  }

  /// The elements of `range(5)[start:stop:step]`, by Python's definition.
  private func python(_ start: Int, _ stop: Int, _ step: Int) -> [Double] {
    let (low, high) = step > 0 ? (0, 5) : (-1, 4)
    func bound(_ end: Int) -> Int { min(max(end < 0 ? end + 5 : end, low), high) }
    return Swift.stride(from: bound(start), to: bound(stop), by: step).map { Double($0) }
  }

  @Test("Integer overflow is an error when the model runs")
  func overflow() {
    let large = Tensor(.int32, shape: [1, 1], [2e9])
    let error = #expect(throws: WeighbridgeError.self) {
      try Add().evaluate([large, large], workers: Workers(count: 1))
    }
    #expect(error?.code == .mismatch)
  }

  @Test("Classes of fractions, of which JAX takes the whole ones only, are refused on JAX")
  func classesOfFractions() throws {
    let count: [String: KerasOperand] = ["num_classes": .value(6)]
    let written = try graph(.operation("OneHot"), [.tensor(0)], named: count, on: [matrix])
    #expect(written.nodes.count == 2)
    let error = #expect(throws: WeighbridgeError.self) {
      try graph(
        .operation("OneHot"), [.tensor(0)], named: count, on: [matrix],
        rules: .saturatingConversion)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("takes indices of float32") == true, "\(error as Any)")
  }

  @Test("An attention of integers is refused, since Keras cuts its weights to whole numbers")
  func attentionOfIntegers() {
    let heads = TensorType(.int32, [.symbolic("batch"), 5, 2, 3])
    let error = #expect(throws: WeighbridgeError.self) {
      try graph(
        .operation("DotProductAttention"), [.tensor(0), .tensor(0), .tensor(0)], on: [heads])
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("takes int32") == true, "\(error as Any)")
  }

  @Test("A kernel that the model computes is refused, and so is one that does not fit")
  func kernels() {
    let image = TensorType(.float32, [.symbolic("batch"), 3, 4, 2])
    let kernel = TensorType(.float32, [1, 1, 2, 2])
    let computed = #expect(throws: WeighbridgeError.self) {
      try graph(.operation("Conv"), [.tensor(0), .tensor(1)], on: [image, kernel])
    }
    #expect(computed?.reason.contains("kernel is a tensor that the model computes") == true)
    let refused: [(filters: [JSONValue], code: WeighbridgeError.Code, phrase: String)] = [
      ([[[[1]]]], .malformed, "does not fit"), ([[[[]]]], .unsupported, "slides over"),
      ([[[[1], [1], [1]]]], .malformed, "does not fit"), ([[1]], .unsupported, "slides over"),
      ([], .unsupported, "slides over"),
    ]
    for (filters, code, phrase) in refused {
      let error = #expect(throws: WeighbridgeError.self) {
        try graph(
          .tensorFlow("nn.conv2d"), [.tensor(0)],
          named: ["filters": .value(.array(filters)), "padding": .value("SAME")], on: [kernel])
      }
      #expect(error?.code == code, "\(error as Any)")
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test(
    "A transposed convolution accepts only output lengths whose convolution gives its input",
    arguments: [(7, true), (8, true), (9, false), (6, false)])
  func transposedLengths(length: Int, isPossible: Bool) throws {
    let sequence = TensorType(.float32, [.symbolic("batch"), 4, 1])
    do {
      let graph = try graph(
        .tensorFlow("nn.conv1d_transpose"), [.tensor(0)],
        named: [
          "filters": .value([[[1]], [[2]], [[3]]]), "strides": .value(2),
          "output_shape": .value([2, .integer(length), 1]),
        ], on: [sequence])
      #expect(isPossible)
      #expect(graph[graph.outputs[0].value].type.shape[1] == .fixed(length))
    } catch let error as WeighbridgeError {
      #expect(!isPossible && error.code == .unsupported, "\(error)")
      #expect(error.reason.contains("output_shape cannot be made of"), "\(error)")
    }
  }

  @Test("Unsupported functions have a reason, also by an older version's name")
  func refusals() {
    for name: KerasFunctionName in [
      .tensorFlow("compat.v1.boolean_mask"), .tensorFlow("random.normal"), .tensorFlow("einsum"),
      .tensorFlow("math.unsorted_segment_sum"), .operation("Map"), .operation("ConvTranspose"),
    ] {
      #expect(KerasFunction.refusal(of: name) != nil, "\(name)")
      #expect(!KerasFunction.isKnown(name), "\(name)")
    }
    #expect(KerasFunction.refusal(of: .operation("Add")) == nil)
  }

  @Test(
    "Sums that do not fit or are not supported are refused",
    arguments: [
      ("bii->b", .malformed, "differ"), ("b...->b", .unsupported, "every axis of the ellipsis"),
      ("bij,bij,bij->b", .malformed, "do not fit 1 tensor"),
      ("bij->bz", .unsupported, "each of its letters once"),
      ("bi->b", .malformed, "do not fit tensors of [3] axes"),
      ("bij->bb", .unsupported, "each of its letters once"),
      ("bij->b->i", .malformed, "do not fit"), ("b1j->b", .unsupported, "not letters"),
    ] as [(String, WeighbridgeError.Code, String)])
  func summations(subscripts: String, code: WeighbridgeError.Code, phrase: String) {
    let error = #expect(throws: WeighbridgeError.self) {
      try graph(
        .operation("Einsum"), [.tensor(0)], settings: ["subscripts": .string(subscripts)],
        on: [matrix])
    }
    #expect(error?.code == code, "\(error as Any)")
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
  }

  @Test(
    "Arguments of which a function has no form are refused by name",
    arguments: [
      (.operation("Clip"), #"{"x_min": 2, "x_max": 1}"#, "clips to 2.0...1.0"),
      (.operation("DotProductAttention"), #"{"flash_attention": true}"#, "flash_attention=true"),
      (.operation("Quantile"), #"{"q": 1e300}"#, "q=1e+300, expected"),
      (.operation("Percentile"), #"{"q": 50, "method": "hazen"}"#, "method=hazen, expected linear"),
      (
        .tensorFlow("signal.fftshift"), "{}",
        "the size of axis 0 of float32 [batch, 3, 4] must be known"
      ),
      (.operation("Corrcoef"), "{}", "and a matrix [variables, samples] is supported"),
      (.operation("ExtractPatches"), #"{"size": [2, 2, 2, 2]}"#, "windows of 4 axes"),
      (.operation("Nansum"), #"{"axis": 1, "where": 1}"#, "where=1"),
      (.tensorFlow("linalg.diag"), #"{"k": 5000}"#, "the diagonal 5000"),
      (.tensorFlow("sequence_mask"), "{}", "takes whole numbers"),
      (.tensorFlow("clip_by_norm"), #"{"clip_norm": -1}"#, "clip_norm=-1"),
      (.tensorFlow("signal.frame"), #"{"frame_length": 9, "frame_step": 1}"#, "frames of 9"),
      (.tensorFlow("saturate_cast"), #"{"dtype": "int32"}"#, "dtype=int32"),
      (.tensorFlow("tensordot"), #"{"axes": [[0], [1, 2]]}"#, "axes=[[0],[1,2]]"),
      (
        .tensorFlow("gather_nd"), #"{"indices": [[0, 9]]}"#,
        "takes an item at the index 9 of float32 [batch, 3, 4]"
      ),
      (.tensorFlow("gather_nd"), #"{"indices": [[0, -1]]}"#, "an item at the index -1 of"),
      (.tensorFlow("gather_nd"), #"{"indices": [[0, 0, 0, 0]]}"#, "takes 4 indices of"),
      (.tensorFlow("linalg.tensor_diag_part"), "{}", "and two axes are supported"),
      (
        .tensorFlow("signal.frame"), #"{"frame_length": 0, "frame_step": 1}"#,
        "takes frames of 0 elements, 1 apart, and both are 1 or more"
      ),
      (
        .tensorFlow("range"), #"{"limit": 9, "delta": 0.5}"#,
        "delta=0.5, expected an integer"
      ),
      (
        .tensorFlow("range"), #"{"limit": -9223372036854775808, "delta": -1}"#,
        "counts from 0 to -9223372036854775808"
      ),
      (
        .tensorFlow("range"), #"{"limit": 9223372036854775807}"#,
        "counts from 0 to 9223372036854775807 by 1"
      ),
      (.operation("Hsplit"), #"{"indices_or_sections": 0}"#, "is cut into 0 parts"),
      (.operation("MultiHot"), #"{"num_classes": 0}"#, "num_classes=0"),
      (.operation("Diff"), #"{"n": 65}"#, "n=65"),
      (.tensorFlow("nn.depth_to_space"), #"{"block_size": 0}"#, "block_size=0"),
      (.tensorFlow("image.central_crop"), #"{"central_fraction": 2}"#, "central_fraction=2"),
    ] as [(KerasFunctionName, String, String)])
  func refusedArguments(name: KerasFunctionName, text: String, phrase: String) throws {
    let arguments = try #require(try JSONValue(parsing: Array(text.utf8)).object)
    var named: [String: KerasOperand] = [:]
    for key in arguments.keys { named[key] = arguments[key].map { .value($0) } }
    let isAttention = name == .operation("DotProductAttention")
    let operands: [KerasOperand] = (0..<3).map { .tensor($0) }
    let isPair = name == .tensorFlow("tensordot")
    let isCount = name == .tensorFlow("range")
    let error = #expect(throws: WeighbridgeError.self) {
      try graph(
        name,
        isCount ? [.value(0)] : Array(operands.prefix(isAttention ? 3 : isPair ? 2 : 1)),
        named: named,
        on: [matrix, matrix, matrix])
    }
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
  }

  @Test("Sizes that are computed otherwise than by adding a number are refused")
  func computedSizes() throws {
    // max(size, 5) is not the size plus a number, whatever the size is.
    for name in ["math.multiply", "math.maximum", "math.minimum"] {
      let error = #expect(throws: WeighbridgeError.self) {
        var builder = GraphBuilder()
        let input = try builder.addInput("in", TensorType(.float32, [.symbolic("batch"), 3]))
        var network = KerasNetwork(graph: builder)
        var value = input
        for (function, named) in [
          ("shape", [:]), ("__operators__.getitem", ["slice_spec": KerasOperand.value(0)]),
          (name, ["y": .value(5)]), ("range", [:]),
        ] as [(String, [String: KerasOperand])] {
          let layer = KerasLayer(
            source: SourceScope(layer: function, className: function),
            writer: KerasProducer(version: KerasVersion(2, 15, 0)), settings: [:],
            weights: .file([]), weightValues: [:], network: network)
          var call = try KerasFunction(
            .tensorFlow(function), layer: layer, inputs: [value],
            operands: KerasOperands(positional: [.tensor(0)], named: named), settings: [:])
          value = try call.build()[0]
          network = call.layer.network
        }
      }
      #expect(error?.reason.contains("computed from sizes that are not known") == true, "\(name)")
    }
  }

  @Test(
    "Tensors larger than any model makes, and counts without an end, are refused",
    arguments: [
      ("ones", [[4_000_000, 4_000_000_000_000]], .malformed, "the size of the tensor"),
      ("zeros", [[-1]], .limitExceeded, "makes a tensor of the shape [-1]"),
      ("zeros", [], .malformed, "the argument shape is missing"),
      ("fill", [[40_000_000], 1], .limitExceeded, "makes a tensor of the shape [40000000]"),
      ("range", [1_000_000_000_000], .limitExceeded, "counts from 0 to 1000000000000"),
      ("range", [0, 5, 0], .limitExceeded, "counts from 0 to 5 by 0"),
      ("range", [.real(0.5)], .unsupported, "start="),
    ] as [(String, [JSONValue], WeighbridgeError.Code, String)])
  func creation(
    name: String, values: [JSONValue], code: WeighbridgeError.Code, phrase: String
  ) {
    let error = #expect(throws: WeighbridgeError.self) {
      try graph(.tensorFlow(name), values.map { .value($0) }, on: [])
    }
    #expect(error?.code == code, "\(error as Any)")
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
  }

  @Test("A function that is not known is refused by name")
  func unknown() {
    #expect(!KerasFunction.isKnown(.tensorFlow("py_function")))
    #expect(KerasFunction.isKnown(.tensorFlow("compat.v1.transpose")))
    #expect(!KerasFunction.isKnown(.graphNode("PyFunc")))
  }

  @Test("Every node of TensorFlow's graph leads to a function that is known")
  func graphNodes() {
    let functions = Set(KerasGraphNode.translations.values.map(\.function))
    #expect(functions.filter { !KerasFunction.isKnown(.tensorFlow($0)) } == [])
  }
}
