import TestSupport
import Testing
import Weighbridge

/// Models that were never given an input shape, and input shapes that users specify.
@Suite struct InputShapeTests {
  /// A model that `Samples/Shapeless/record.py` recorded.
  struct Sample: CustomTestStringConvertible, Sendable {
    let file: String
    /// The input shapes that are given.
    var given: [String] = []

    var testDescription: String { "\(file) \(given)" }

    func path(_ suffix: String) -> String {
      let name = file.split(separator: ".").dropLast(file.hasSuffix("weights.h5") ? 2 : 1)
      return Paths.sample("Shapeless/\(name.joined(separator: ".")).\(suffix)")
    }

    func model() throws -> Model {
      try Model(contentsOf: Paths.sample("Shapeless/\(file)"), options: options)
    }

    private var options: ReadOptions {
      var options = ReadOptions()
      if !file.hasSuffix(".keras"), !file.hasPrefix("2.2.4") { options.architecture = path("json") }
      options.inputShapes = given.compactMap { InputShape($0) }
      return options
    }
  }

  private static let sufficient: [Sample] =
    ["2.2.4-tf/%.h5", "2.15.0/%.h5", "3.15.0/%.weights.h5"]
    .flatMap { form in
      [
        ("conv_flatten", "8,6,2"), ("conv_flatten", "conv2d_input=8,6,None"), ("conv_pool", nil),
        ("conv_pool", "7,6,2"), ("dense", "3"), ("dense_sequence", "None,3"),
        ("dense_sequence", "dense_input=5,None"), ("embedding", nil), ("embedding", "6"),
        ("lstm", nil), ("lstm", "5,4"), ("nested", "5,2"),
      ].map { name, shape in
        Sample(file: form.replacing("%", with: name), given: shape.map { [$0] } ?? [])
      }
    } + [
      Sample(file: "2.15.0/conv_flatten.keras", given: ["8,6,2"]),
      Sample(file: "3.15.0/conv_flatten.keras"),
      Sample(file: "3.15.0/conv_flatten.keras", given: ["8,6,2"]),
    ]

  @Test(
    "With shapes from the weights and the given ones, a model computes what Keras computed",
    arguments: sufficient)
  func agrees(_ sample: Sample) throws {
    let model = try sample.model()
    let inputs = try ArrayFile.read(sample.path("inputs.npz"))
    let outputs = try model.run(inputs).outputs
    for distance in distances(
      actual: outputs, expected: try ArrayFile.read(sample.path("outputs.npz")))
    {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test("The types follow the weights and what is given, and the provenance says so")
  func types() throws {
    func shape(_ file: String, _ given: String...) throws -> [Int?] {
      try Sample(file: file, given: given).model().inputs[0].type.shape.map(\.value)
    }
    #expect(try shape("2.2.4-tf/conv_pool.h5") == [nil, nil, nil, 2])
    #expect(try shape("2.2.4-tf/conv_pool.h5", "None,6,None") == [nil, nil, 6, 2])
    #expect(try shape("2.15.0/lstm.h5") == [nil, nil, 4])
    #expect(try shape("3.15.0/embedding.weights.h5") == [nil, nil])
    #expect(try shape("3.15.0/conv_flatten.keras") == [nil, 8, 6, 2])
    let known = try Sample(file: "2.2.4-tf/conv_pool.h5").model()
    #expect(
      known.provenance.decisions.map(\.text).contains {
        $0.contains("by the weights of conv2d it is None,None,2, without the batch axis")
      })
    let given = try Sample(file: "2.2.4-tf/conv_flatten.h5", given: ["8,6,2"]).model()
    #expect(given.provenance.options["input-shape"] == "8,6,2")
  }

  @Test(
    "Without the rest of the shape the error says what is known and what to give",
    arguments: [
      (
        "conv_flatten.h5",
        "by the weights of conv2d it is None,None,2, without the batch axis, and dense takes 24 "
          + "numbers made of it; give the rest, as with `ReadOptions.inputShapes` conv2d_input=64,64,2"
      ),
      (
        "dense.h5",
        "the weights of dense say that its last dimension is 3, not how many come before it; "
          + "`ReadOptions.inputShapes` dense_input=3 says none, dense_input=None,3 one of any length"
      ),
      (
        "nested.h5",
        "by the weights of inner/inner_conv it is None,2, without the batch axis; give the rest, as "
          + "with `ReadOptions.inputShapes` inner_input=10,2"
      ),
    ])
  func missing(file: String, phrase: String) {
    let error = failure { _ = try Sample(file: "2.2.4-tf/\(file)").model() }
    #expect(error?.reason.contains("the model was never given an input shape") == true)
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    #expect(error?.code != .mismatch)
  }

  @Test(
    "A layer that hides the shape leaves what the weights behind it say",
    arguments: [
      (
        #"{"class_name": "Flatten", "config": {"name": "first"}}, "#,
        "the weights of dense say that it is flattened to 3 numbers, not its dimensions; give them "
          + "without the batch axis, as with `ReadOptions.inputShapes` first_input=3, or 28,28,1"
      ),
      (
        #"{"class_name": "Reshape", "config": {"name": "first", "target_shape": [3]}}, "#,
        "no weights up to first say it; give it without the batch axis, as with `ReadOptions.inputShapes` "
          + "first_input=8, or 28,28,1, or None,3"
      ),
    ])
  func hidden(layer: String, phrase: String) throws {
    var options = try changed(
      "Shapeless/2.15.0/dense.json", #""layers": ["#, #""layers": ["# + layer)
    let path = Paths.sample("Shapeless/2.15.0/dense.h5")
    let error = failure { _ = try Model(contentsOf: path, options: options.value) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    options.value.inputShapes = [InputShape([3, 1])]
    let model = try Model(contentsOf: path, options: options.value)
    #expect(model.inputs[0].type.shape.map(\.value) == [nil, 3, 1])
  }

  @Test("The weights of Keras 1 tell the input shape too")
  func keras1() throws {
    var options = try changed(
      "Keras/1.2.2-tensorflow/weights_dense.json", #""batch_input_shape": [null, 5], "#, "")
    let path = Paths.sample("Keras/1.2.2-tensorflow/weights_dense")
    let error = failure { _ = try Model(contentsOf: "\(path).h5", options: options.value) }
    #expect(error?.reason.contains("the weights of first say that its last dimension is 5") == true)
    options.value.inputShapes = [InputShape([5])]
    let model = try Model(contentsOf: "\(path).h5", options: options.value)
    let outputs = try model.run(ArrayFile.read("\(path).inputs.npz")).outputs
    for distance in distances(actual: outputs, expected: try ArrayFile.read("\(path).outputs.npz"))
    {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  /// Options with an architecture in which a part was replaced, and the folder of its file.
  private func changed(
    _ sample: String, _ part: String, _ replacement: String
  ) throws -> (value: ReadOptions, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let text = String(decoding: try Files.read(Paths.sample(sample)), as: UTF8.self)
    #expect(text.contains(part))
    try Files.write(text.replacing(part, with: replacement).utf8, to: folder.file("model.json"))
    var options = ReadOptions()
    options.architecture = folder.file("model.json")
    return (options, folder)
  }

  @Test(
    "A given shape that does not fit the model is a mismatch",
    arguments: [
      ("conv_flatten", ["8,6,3"], "conv2d say that it is None,None,2, without the batch axis"),
      (
        "conv_flatten", ["8,6"],
        "the input shape 8,6 was given for conv2d_input, and the weights of"
      ),
      ("conv_flatten", ["2,8,6,2"], "the weights of conv2d say that it is None,None,2"),
      ("conv_flatten", ["9,9,2"], "takes [36, 3]; the input shape 9,9,2 was given, and may be"),
      ("conv_flatten", ["None,None,2"], "the input shape None,None,2 was given, and may be"),
      ("conv_flatten", ["2,2,2"], "the input shape 2,2,2 was given, and may be"),
      ("dense", ["4"], "the weights of dense say that its last dimension is 3"),
      ("dense", ["0"], "the input shape 0 was given; dimensions from 1 on are expected"),
      (
        "dense", ["None,-3"], "the input shape None,-3 was given; dimensions from 1 on are expected"
      ),
      ("dense", ["4294967296,3"], "which is over the limit of 2147483647 elements"),
      ("dense", ["4611686018427387904,4611686018427387904,3"], "is over the limit of"),
      (
        "dense", ["x=3"],
        "has no input x, for which the shape 3 was given; its inputs are: dense_input"
      ),
      ("dense", ["3", "dense_input=3"], "the shape of the input dense_input was given twice"),
      (
        "embedding", ["6,1"], "has the shape None in the file (without the batch axis), and 6,1 was"
      ),
    ])
  func mismatches(name: String, given: [String], phrase: String) {
    let error = failure { _ = try Sample(file: "2.2.4-tf/\(name).h5", given: given).model() }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
  }

  @Test("A given shape must agree with the one in the file")
  func stated() throws {
    let path = Paths.sample("Keras/2.2.4-tensorflow/separable1d.h5")
    var options = ReadOptions()
    options.inputShapes = [InputShape([6, 2])]
    #expect(try Model(contentsOf: path, options: options).inputs[0].type.shape.count == 3)
    for (dimensions, phrase) in [
      ([6, 3], "has the shape 6,2 in the file (without the batch axis), and 6,3 was given"),
      ([nil, 2], "has the shape 6,2 in the file (without the batch axis), and None,2 was given"),
      ([6], "and 6 was given"), ([], "dimensions from 1 on are expected"),
    ] as [([Int?], String)] {
      options.inputShapes = [InputShape(dimensions)]
      let error = failure { _ = try Model(contentsOf: path, options: options) }
      #expect(error?.code == .mismatch)
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test("The shape of an input among several is given by its name")
  func several() throws {
    let path = Paths.sample("Keras/1.2.2-tensorflow/merge_ave.h5")
    let inputs = try Model(contentsOf: path).inputs
    let shape = InputShape(inputs[1].type.shape.dropFirst().map(\.value), of: inputs[1].name)
    var options = ReadOptions()
    options.inputShapes = [shape]
    #expect(try Model(contentsOf: path, options: options).inputs == inputs)
    options.inputShapes[0].input = nil
    let error = failure { _ = try Model(contentsOf: path, options: options) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("was given without a name; \(inputs[0].name)=") == true)
  }

  @Test("Only well-formed shapes are parsed")
  func parsing() {
    #expect(InputShape("8,None,3") == InputShape([8, nil, 3]))
    #expect(InputShape("a=b=8") == InputShape([8], of: "a=b"))
    #expect(InputShape("-1")?.dimensions == [-1])
    #expect(InputShape("x=8,None")?.description == "x=8,None")
    for text in ["", "8,", "=8", "x=", "8.0", "none", "(8,3)", "8 3", "99999999999999999999"] {
      #expect(InputShape(text) == nil, "\(text)")
    }
  }
}
