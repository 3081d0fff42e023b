import Bytes
import CoreMLFormat
import Foundation
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// Programs that are no programs, and packages that lead elsewhere.
@Suite struct HostileMLProgramTests {
  private static let vector = MILType.tensor(.float32, shape: [1, 4])

  private static func named(_ name: String, _ type: MILType = vector) -> MILNamedType {
    MILNamedType(name, type)
  }

  private static func relu(
    _ input: String = "x", _ output: String = "y", type: MILType = vector
  ) -> MILOperation {
    MILOperation(
      "relu", inputs: [.init("x", [.name(input)])], outputs: [named(output, type)],
      attributes: [.init("name", .string(output))])
  }

  private static func constant(_ value: MILValue, _ name: String = "c") -> MILOperation {
    MILOperation(
      "const", outputs: [named(name, value.type)],
      attributes: [.init("name", .string(name)), .init("val", value)])
  }

  private static func sum(_ operations: [MILOperation]) -> [MILOperation] {
    operations + [
      MILOperation(
        "add", inputs: [.init("x", [.name("x")]), .init("y", [.name("c")])],
        outputs: [named("y")], attributes: [.init("name", .string("y"))])
    ]
  }

  /// A program and what is said of it.
  struct Attack: CustomTestStringConvertible {
    let name: String
    let operations: [MILOperation]
    var opset = "CoreML6"
    var outputs = ["y"]
    var metadata: [String: String] = [:]
    let code: WeighbridgeError.Code
    let reason: String
    var testDescription: String { name }
  }

  private static func blob(_ file: String, _ offset: Int, type: MILType = vector) -> MILOperation {
    constant(MILValue(type, .blob(file: file, offset: offset)))
  }

  static let attacks: [Attack] = [
    Attack(
      name: "a cycle", operations: [relu("z", "y"), relu("y", "z")], code: .malformed,
      reason: "takes z, which no operation before it gives"),
    Attack(
      name: "a name twice", operations: [relu(), relu()], code: .malformed,
      reason: "two tensors have the name y"),
    Attack(
      name: "another type", operations: [relu(type: .tensor(.float32, shape: [1, 5]))],
      code: .malformed, reason: "and the program says that it is"),
    Attack(
      name: "no output", operations: [relu("x", "z")], code: .malformed,
      reason: "no operation gives the output y"),
    Attack(
      name: "an unknown operator",
      operations: [MILOperation("teleport", outputs: [named("y")], attributes: [])],
      code: .unsupported, reason: "y: teleport"),
    Attack(
      name: "the name of nothing", operations: [relu()],
      metadata: ["converter": "weighbridge", "name.z": "z:0"], code: .malformed,
      reason: "the metadata names z, which is neither an input nor an output"),
    Attack(
      name: "an unknown input",
      operations: [
        MILOperation(
          "relu", inputs: [.init("x", [.name("x")]), .init("warp", [.name("x")])],
          outputs: [named("y")], attributes: [])
      ], code: .unsupported, reason: "has the input warp, which is not known for relu"),
    Attack(
      name: "an unknown opset", operations: [relu()], opset: "CoreML77", code: .unsupported,
      reason: "is for the opset CoreML77"),
    Attack(
      name: "too few elements",
      operations: sum([constant(MILValue(vector, .floats([1, 2, 3])))]), code: .malformed,
      reason: "with 3 elements, expected 4"),
    Attack(
      name: "a file outside", operations: sum([blob("@model_path/../../x", 64)]),
      code: .malformed, reason: "expected a file in the model's folder"),
    Attack(
      name: "an absolute file", operations: sum([blob("/etc/passwd", 64)]), code: .malformed,
      reason: "expected a file in the model's folder"),
    Attack(
      name: "a missing file", operations: sum([blob("@model_path/weights/none.bin", 64)]),
      code: .missing, reason: "has no file weights/none.bin"),
    Attack(
      name: "a linked file", operations: sum([blob("@model_path/link.bin", 64)]),
      code: .malformed, reason: "which is a link"),
    Attack(
      name: "a pointer of Git LFS", operations: sum([blob("@model_path/pointer.bin", 64)]),
      code: .unsupported, reason: "is a pointer of Git LFS, not the file itself"),
    Attack(
      name: "another file", operations: sum([blob("@model_path/model.mlmodel", 64)]),
      code: .malformed, reason: "which is no file of constants of version 2"),
    Attack(
      name: "beside a record", operations: sum([blob("@model_path/blobs.bin", 128)]),
      code: .malformed, reason: "@model_path/blobs.bin has no record at byte 128"),
    Attack(
      name: "another size",
      operations: sum([
        blob("@model_path/blobs.bin", 64, type: .tensor(.float32, shape: [1, 1 << 40]))
      ]), code: .malformed, reason: "do not hold"),
    Attack(
      name: "another element type",
      operations: sum([
        blob("@model_path/blobs.bin", 64, type: .tensor(.int32, shape: [1, 4]))
      ]), code: .malformed, reason: "whose record holds FLOAT32"),
    Attack(
      name: "a size beyond all memory",
      operations: sum([
        blob("@model_path/blobs.bin", 64, type: .tensor(.float32, shape: [1 << 40, 1 << 40]))
      ]), code: .malformed, reason: "too large"),
  ]

  private static func block(
    _ operations: [MILOperation], takes inputs: [String] = ["s"], gives outputs: [String]
  ) -> MILBlock {
    var block = MILBlock(outputs: outputs, operations: operations)
    block.inputs = inputs.map { named($0) }
    return block
  }

  private static func condition(_ isMet: [Bool]) -> MILBlock {
    let shape = isMet.count == 1 ? [] : [isMet.count]
    let flag = constant(MILValue(.tensor(.bool, shape: shape), .booleans(isMet)), "p")
    return block([flag], gives: ["p"])
  }

  private static func loop(
    _ blocks: [MILBlock], over variables: [String] = ["x"]
  ) -> [MILOperation] {
    var operation = MILOperation(
      "while_loop", inputs: [.init("loop_vars", variables.map { .name($0) })],
      outputs: [named("y")], attributes: [.init("name", .string("y"))])
    operation.blocks = blocks
    return [operation]
  }

  /// A branch where the largest number is negative.
  private static func branch(_ blocks: [MILBlock], on predicate: String = "n") -> [MILOperation] {
    let scalar = MILType.tensor(.float32, shape: [])
    let axes = MILValue(.tensor(.int32, shape: [2]), .integers([0, 1]))
    let keepsAxes = MILValue(.tensor(.bool, shape: []), .booleans([false]))
    let largest = MILOperation(
      "reduce_max",
      inputs: [
        .init("x", [.name("x")]), .init("axes", [.value(axes)]),
        .init("keep_dims", [.value(keepsAxes)]),
      ], outputs: [named("m", scalar)], attributes: [])
    let isNegative = MILOperation(
      "less",
      inputs: [.init("x", [.name("m")]), .init("y", [.value(MILValue(scalar, .floats([0])))])],
      outputs: [named("n", .tensor(.bool, shape: []))], attributes: [])
    var choice = MILOperation(
      "cond", inputs: [.init("pred", [.name(predicate)])], outputs: [named("y")],
      attributes: [.init("name", .string("y"))])
    choice.blocks = blocks
    return [largest, isNegative, choice]
  }

  static let loops: [Attack] = [
    Attack(
      name: "a loop without a body", operations: loop([condition([true])]), code: .malformed,
      reason: "has 1 blocks, expected a condition and a body"),
    Attack(
      name: "a condition of two booleans",
      operations: loop([condition([true, false]), block([relu("s", "t")], gives: ["t"])]),
      code: .malformed, reason: "as its condition, expected one element of bool"),
    Attack(
      name: "a condition of numbers",
      operations: loop([block([], gives: ["s"]), block([relu("s", "t")], gives: ["t"])]),
      code: .malformed, reason: "as its condition, expected one element of bool"),
    Attack(
      name: "a body that gives too much",
      operations: loop([condition([true]), block([relu("s", "t")], gives: ["t", "s"])]),
      code: .malformed, reason: "has a body that gives 2 values for 1, expected as many"),
    Attack(
      name: "a body that takes too much",
      operations: loop([
        condition([true]), block([relu("s", "t")], takes: ["s", "u"], gives: ["t"]),
      ]), code: .malformed, reason: "passes 1 values to a block that takes 2"),
    Attack(
      name: "a body without its result",
      operations: loop([condition([true]), block([relu("s", "t")], gives: ["u"])]),
      code: .malformed, reason: "no operation gives its result u"),
    Attack(
      name: "a variable that nothing gives",
      operations: loop([condition([true]), block([relu("s", "t")], gives: ["t"])], over: ["z"]),
      code: .malformed, reason: "takes z, which no operation before it gives"),
    Attack(
      name: "a list that is none",
      operations: [
        MILOperation(
          "list_read", inputs: [.init("ls", [.name("x")]), .init("index", [.name("x")])],
          outputs: [named("y")], attributes: [])
      ], code: .malformed, reason: "takes no list that an operation before it gives"),
    Attack(
      name: "a branch without another",
      operations: branch([block([relu()], takes: [], gives: ["y"])]), code: .malformed,
      reason: "has 1 blocks, expected one for each answer"),
    Attack(
      name: "a branch on numbers",
      operations: branch(
        [block([], takes: [], gives: ["x"]), block([], takes: [], gives: ["x"])], on: "x"),
      code: .malformed, reason: "as its condition, expected one element of bool"),
    Attack(
      name: "branches of other types",
      operations: branch([
        block([], takes: [], gives: ["x"]), block([], takes: [], gives: ["n"]),
      ]), code: .unsupported, reason: "expected the same element types and numbers of axes"),
    Attack(
      name: "branches of other counts",
      operations: branch([
        block([], takes: [], gives: ["x"]), block([], takes: [], gives: ["x", "m"]),
      ]), code: .unsupported, reason: "expected the same element types and numbers of axes"),
    Attack(
      name: "branches that take something",
      operations: branch([block([relu("s", "t")], gives: ["t"]), block([], gives: ["s"])]),
      code: .malformed, reason: "passes 0 values to a block that takes 1"),
  ]

  /// Writes a package of one program with a file of four numbers.
  private func write(_ attack: Attack, to path: String) throws {
    let block = MILBlock(outputs: attack.outputs, operations: attack.operations)
    let function = MILFunction(
      name: "main", inputs: [Self.named("x")], opset: attack.opset, block: block)
    let array = CoreMLArray(shape: [1, 4], element: .float32)
    let model = CoreMLModel(
      specificationVersion: 7,
      description: CoreMLDescription(
        inputs: [CoreMLFeature(name: "x", type: .multiArray(array))],
        outputs: [CoreMLFeature(name: "y", type: .multiArray(array))],
        metadata: CoreMLMetadata(userDefined: attack.metadata)),
      content: .program(MILProgram(functions: [function])))
    let writer = try CoreMLPackageWriter(MILBlob.Layout(), to: path)
    try writer.commit(model, replacing: true)
    var layout = MILBlob.Layout()
    _ = layout.add(.float32, byteCount: 16)
    let folder = "\(path)/Data/com.apple.CoreML"
    let bytes = layout.header + layout.bytes(before: 0) + [UInt8](repeating: 0, count: 16)
    try Files.write(bytes, to: "\(folder)/blobs.bin")
    try Files.link("\(folder)/link.bin", to: "\(folder)/blobs.bin")
    let pointer = "version https://git-lfs.github.com/spec/v1\n"
    try Files.write(pointer.utf8, to: "\(folder)/pointer.bin")
  }

  @Test("A hostile program is refused", arguments: attacks + loops)
  func hostile(_ attack: Attack) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m.mlpackage")
    try write(attack, to: path)
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.code == attack.code, "\(error)")
    #expect(error.description.contains(attack.reason), "\(error)")
  }

  @Test("The program that the others are made of is read")
  func valid() throws {
    let folder = try TemporaryFolder()
    let attack = Attack(
      name: "none", operations: Self.sum([Self.blob("@model_path/blobs.bin", 64)]),
      code: .malformed, reason: "")
    try write(attack, to: folder.file("m.mlpackage"))
    let model = try Model(contentsOf: folder.file("m.mlpackage"))
    let input = Tensor(.float32, shape: [1, 4], [1, 2, 3, 4])
    let output = try model.run([NamedTensor(name: "x", tensor: input)]).outputs[0]
    #expect(output.tensor.doubles == [1, 2, 3, 4])
  }

  @Test("A model's file that is cut off or changed anywhere never ends the process")
  func damaged() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m.mlpackage")
    try write(
      Attack(
        name: "none", operations: Self.sum([Self.blob("@model_path/blobs.bin", 64)]),
        code: .malformed, reason: ""), to: path)
    let file = "\(path)/Data/com.apple.CoreML/model.mlmodel"
    let bytes = [UInt8](try Files.read(file))
    var refusals = 0
    for position in bytes.indices {
      var changed = bytes
      changed[position] ^= UInt8(1 << (position % 8))
      try Files.write(changed, to: file)
      if failure({ _ = try Model(contentsOf: path) }) != nil { refusals += 1 }
      try Files.write(bytes.prefix(position), to: file)
      #expect(failure { _ = try Model(contentsOf: path) } != nil, "\(position)")
    }
    #expect(refusals > 0)
  }

  @Test("Blocks in blocks, a thousand deep, are refused")
  func nested() throws {
    func message(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
      ProtobufField.header(number, byteCount: bytes.count) + bytes
    }
    // An operation of a block has the field 3, and a block of an operation the field 4.
    var block: [UInt8] = []
    for _ in 0..<1000 { block = message(3, message(4, block)) }
    let function = message(3, message(1, Array("CoreML6".utf8)) + message(2, block))
    let program = [8, 1] + message(2, message(1, Array("main".utf8)) + message(2, function))
    let bytes = [8, 7] + message(2, []) + message(502, program)
    let error = try #require(failure { _ = try CoreMLReader.read(bytes.span.bytes) })
    #expect(error.code == .limitExceeded, "\(error)")
    #expect(error.reason.contains("nests messages deeper than the limit"), "\(error)")
  }
}
