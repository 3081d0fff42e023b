import Bytes
import Foundation
import NCNNFormat
import TestSupport
import Testing

/// The two files of ncnn, as its param-and-model-file-structure.md describes them.
@Suite struct NCNNTests {
  private static let text = """
    7767517
    4 5
    Input            data 0 1 data 0=4 1=3 2=1
    Split            s 1 2 data a b
    InnerProduct     fc 1 1 a y 0=2 1=1 2=24
    BinaryOp         op 1 1 b z 0=2 1=1 2=-0.5 -23303=2,1,-1 -23304=1,2.5

    """

  private func read(_ text: String) throws -> NCNNModel { try NCNNModel(Array(text.utf8)) }

  private func file(_ model: NCNNModel, _ bytes: [UInt8]) throws -> NCNNFile {
    try ByteStore(bytes).withBytes { (bytes) throws(WeighbridgeError) in
      try NCNNFile(model, weights: bytes)
    }
  }

  @Test("A text is read as layers, and written as it was")
  func roundTrip() throws {
    let model = try read(Self.text)
    #expect(model.layers.map(\.type) == ["Input", "Split", "InnerProduct", "BinaryOp"])
    #expect(model.layers[1].outputs == ["a", "b"])
    #expect(model.layers[2].inputs == ["a"] && model.layers[2].integer(2) == 24)
    #expect(
      model.layers[3].parameters == [
        0: .integer(2), 1: .integer(1), 2: .float(-0.5), 3: .integers([1, -1]), 4: .floats([2.5]),
      ])
    #expect(model.text == Self.text)
  }

  @Test("Lists may omit their length, and lines may use other white space")
  func modern() throws {
    let model = try read("7767517\r\n1 1\r\n\r\nCrop\tc  0 1 x 9=1,2 10=0.5,1e3\r\n")
    #expect(model.layers[0].parameters == [9: .integers([1, 2]), 10: .floats([0.5, 1000])])
  }

  @Test("Every number is written in the 15 characters that ncnn reads, and reads equal")
  func numbers() throws {
    var numbers: [Float] = [
      0, 1, -1, 1e-5, 0.001, 1 / 3, -1 / 3, 0.000_123_456_79, -0.012_345_678_9, 16_777_216,
      123_456_792, 3.4e38, -1e-38, .leastNonzeroMagnitude, .pi,
    ]
    for step in 0..<200 {
      numbers.append(Float(sin(Double(step)) * pow(10, Double(step % 60 - 30))))
    }
    let layer = NCNNLayer(
      type: "Clip", name: "c", inputs: [], outputs: ["y"], parameters: [4: .floats(numbers)])
    let text = NCNNModel(layers: [layer]).text
    #expect(try read(text).layers == [layer])
    for value in text.split(separator: ",").dropFirst() {
      let value = value.trimmingCharacters(in: .newlines)
      #expect(value.utf8.count <= 15, "\(value)")
      let digits = value.split(separator: "e")[0].split(separator: ".")
      #expect(digits.allSatisfy { $0.filter(\.isNumber).count <= 9 }, "\(value)")
    }
  }

  @Test("Infinities become the largest numbers")
  func infinities() throws {
    let layer = NCNNLayer(
      type: "Clip", name: "c", inputs: [], outputs: ["y"],
      parameters: [0: .float(-.infinity), 1: .float(.infinity)])
    let read = try read(NCNNModel(layers: [layer]).text)
    let largest = Float.greatestFiniteMagnitude
    #expect(read.layers[0].parameters == [0: .float(-largest), 1: .float(largest)])
  }

  @Test(
    "A malformed text is refused",
    arguments: [
      "", "7767516\n0 0\n", "7767517\n", "7767517\n1 1\n", "7767517\n0 1\n",
      "7767517\n1\nInput a 0 1 a\n", "7767517\n1 1\nInput a 0\n", "7767517\n1 1\nInput a -1 2 a\n",
      "7767517\n1 1\nInput a 0 99999999999 a\n", "7767517\n1 2147483647\nInput a 0 2147483647 a\n",
      "7767517\n1 0\nReLU a 1 0 b\n", "7767517\n2 2\nInput a 0 1 a\nInput a 0 1 b\n",
      "7767517\n2 1\nInput a 0 1 a\nInput b 0 1 a\n",
      "7767517\n3 3\nInput a 0 1 a\nReLU b 1 1 a b\nReLU c 1 1 a c\n",
      "7767517\n1 1\nInput a 0 1 a 0\n", "7767517\n1 1\nInput a 0 1 a x=1\n",
      "7767517\n1 1\nInput a 0 1 a 32=1\n", "7767517\n1 1\nInput a 0 1 a -1=1\n",
      "7767517\n1 1\nInput a 0 1 a 0=1 0=1\n", "7767517\n1 1\nInput a 0 1 a 0=1 -23300=1,1\n",
      "7767517\n1 1\nInput a 0 1 a -23300=2,1\n", "7767517\n1 1\nInput a 0 1 a -23300=\n",
      "7767517\n1 1\nInput a 0 1 a -23332=1,1\n",
      "7767517\n1 1\nInput \(String(repeating: "n", count: 256)) 0 1 a\n",
    ])
  func malformed(_ text: String) {
    #expect(failure { _ = try NCNNModel(Array(text.utf8)) }?.code == .malformed)
  }

  @Test(
    "A setting that is not a number is refused",
    arguments: ["0=", "0=x", "0=\"a\"", "0=nan", "0=inf", "0=1e99", "0=99999999999e", "0=1,,2"])
  func noNumbers(_ setting: String) {
    let text = "7767517\n1 1\nInput a 0 1 a \(setting)\n"
    #expect(failure { _ = try NCNNModel(Array(text.utf8)) }?.code == .unsupported)
  }

  @Test("Bytes that are not text, and a text that is too long, are refused")
  func bytes() {
    #expect(failure { _ = try NCNNModel([0xFF, 0x00, 0x37]) }?.code == .malformed)
    let long = [UInt8](repeating: 0x20, count: NCNNModel.byteLimit + 1)
    #expect(failure { _ = try NCNNModel(long) }?.code == .limitExceeded)
  }

  private static let network = NCNNModel(layers: [
    NCNNLayer(type: "Input", name: "x", inputs: [], outputs: ["x"]),
    NCNNLayer(
      type: "Convolution", name: "c", inputs: ["x"], outputs: ["y"],
      parameters: [0: .integer(1), 5: .integer(1), 6: .integer(3)]),
    NCNNLayer(
      type: "BatchNorm", name: "b", inputs: ["y"], outputs: ["z"], parameters: [0: .integer(1)]),
  ])

  /// The bytes of a kernel of three numbers, its bias, and four numbers.
  private func bytes(tag: [UInt8], kernel: Int, padding: [UInt8]) -> [UInt8] {
    tag + [UInt8](repeating: 1, count: kernel) + padding + [UInt8](repeating: 2, count: 20)
  }

  @Test("Weights follow one another, and a kernel follows the tag of its number type")
  func weights() throws {
    let plain = try file(Self.network, bytes(tag: [0, 0, 0, 0], kernel: 12, padding: []))
    #expect(plain.weights[0].isEmpty)
    #expect(plain.weights[1].map(\.range) == [4..<16, 16..<20])
    #expect(plain.weights[2].map(\.range) == [20..<24, 24..<28, 28..<32, 32..<36])
    #expect(plain.weights[1].map(\.encoding) == [.float32, .float32])
    let half = try file(
      Self.network, bytes(tag: [0x47, 0x6B, 0x30, 0x01], kernel: 6, padding: [0, 0]))
    #expect(half.weights[1].map(\.range) == [4..<10, 12..<16])
    #expect(half.weights[1].map(\.encoding) == [.float16, .float32])
  }

  @Test("Malformed weights are refused")
  func wrongWeights() throws {
    let good = bytes(tag: [0, 0, 0, 0], kernel: 12, padding: [])
    let half: [UInt8] = [0x47, 0x6B, 0x30, 0x01]
    for count in 0..<good.count {
      #expect(failure { _ = try file(Self.network, Array(good[..<count])) }?.code == .malformed)
    }
    for wrong in [good + [0], good + good, bytes(tag: half, kernel: 6, padding: [0, 1])] {
      #expect(failure { _ = try file(Self.network, wrong) }?.code == .malformed)
    }
    for tag: [UInt8] in [[1, 0, 0, 0], [0x38, 0x4B, 0x0D, 0], [0x56, 0xC0, 2, 0]] {
      let wrong = bytes(tag: tag, kernel: 12, padding: [])
      #expect(failure { _ = try file(Self.network, wrong) }?.code == .unsupported)
    }
    var layer = Self.network.layers[1]
    for count in [-1, 1 << 31 - 1] {
      layer.parameters[6] = .integer(count)
      let model = NCNNModel(layers: [Self.network.layers[0], layer])
      #expect(failure { _ = try file(model, good) }?.code == .malformed)
    }
    layer.type = "Quantum"
    let unknown = NCNNModel(layers: [Self.network.layers[0], layer])
    #expect(failure { _ = try file(unknown, good) }?.code == .unsupported)
    let data = NCNNLayer(
      type: "MemoryData", name: "m", inputs: [], outputs: ["m"],
      parameters: [0: .integer(1 << 30), 1: .integer(1 << 30), 2: .integer(1 << 30)])
    #expect(failure { _ = try file(NCNNModel(layers: [data]), good) }?.code == .malformed)
  }

  @Test("A writer puts tags and padding where they belong, and both files in place at the end")
  func writer() throws {
    let folder = try TemporaryFolder()
    for isHalf in [false, true] {
      var writer = try NCNNWriter(
        Self.network, to: folder.file("n.param"), weights: folder.file("n.bin"))
      for count in [3, 1, 1, 1, 1, 1] {
        let encoding = try writer.beginWeight(isHalf: isHalf)
        #expect(encoding == (isHalf && count == 3 ? .float16 : .float32))
        let value: UInt8 = count == 3 ? 1 : 2
        try writer.append([UInt8](repeating: value, count: count * encoding.byteCount).span.bytes)
      }
      if !isHalf { #expect(folder.names.isEmpty) }
      try writer.commit(replacing: true)
      #expect(folder.names == ["n.bin", "n.param"])
      let expected =
        isHalf
        ? bytes(tag: [0x47, 0x6B, 0x30, 0x01], kernel: 6, padding: [0, 0])
        : bytes(tag: [0, 0, 0, 0], kernel: 12, padding: [])
      #expect(try Files.read(folder.file("n.bin")) == Data(expected))
      #expect(try NCNNModel(Array(Files.read(folder.file("n.param")))) == Self.network)
    }
  }
}
