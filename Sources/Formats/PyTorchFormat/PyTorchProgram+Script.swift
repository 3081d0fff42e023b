import Bytes
import JSON
import ZipArchive

extension PyTorchProgram {
  /// Lists the tensors of a TorchScript archive's object, and the operators that its code calls.
  mutating func list(script members: [ZipDirectory.Member], _ store: ByteStore) {
    var memory = Self.memoryLimit
    for member in members where member.name.contains("/code/") && member.name.hasSuffix(".py") {
      guard let code = Self.bytes(of: member, in: store, memory: &memory) else { continue }
      count(code)
    }
    for member in members where member.name.hasSuffix("/model.json") {
      guard let text = Self.bytes(of: member, in: store, memory: &memory),
        let model = (try? JSONValue(parsing: text))?.object, let module = model["mainModule"]
      else { continue }
      list(module, tensors: model["tensors"]?.array ?? [])
    }
    for member in members where member.name.hasSuffix("/data.pkl") {
      guard let (content, range) = try? ZipReader.contents(of: member, in: store, memory: &memory)
      else { continue }
      var reader = PickleReader(range, describesObjects: true)
      let root = try? content.withBytes { (bytes) throws(WeighbridgeError) in
        try reader.read(bytes)
      }
      guard let root else { continue }
      list(root, reader)
    }
  }

  /// The element types of PyTorch before 1.1, with the names of Caffe2's.
  private static let elementTypes: [String: ElementType] = [
    "FLOAT": .float32, "DOUBLE": .float64, "FLOAT16": .float16, "INT64": .int64, "INT32": .int32,
    "INT16": .int16, "INT8": .int8, "UINT8": .uint8, "BYTE": .uint8,
  ]

  /// Lists the parameters of a module and of those in it, as PyTorch before 1.1 wrote them.
  private mutating func list(_ root: JSONValue, tensors types: [JSONValue]) {
    var stack = [(path: "", module: root)]
    while let (path, module) = stack.popLast() {
      for parameter in module.object?["parameters"]?.array ?? [] {
        guard let parameter = parameter.object, let name = parameter["name"]?.string,
          let index = Self.number(parameter["tensorId"]), types.indices.contains(index),
          let type = types[index].object
        else { continue }
        tensors.append(
          Entry(
            name: path + name,
            elementType: type["dataType"]?.string.flatMap { Self.elementTypes[$0] },
            shape: (type["dims"]?.array ?? []).compactMap(Self.number)))
      }
      for part in (module.object?["submodules"]?.array ?? []).reversed() {
        guard let name = part.object?["name"]?.string else { continue }
        stack.append(("\(path)\(name).", part))
      }
    }
  }

  /// A number, which is written as a text.
  private static func number(_ value: JSONValue?) -> Int? { value?.string.flatMap { Int($0) } }

  /// Counts the calls of `torch.NAME` and `ops.SET.NAME` in code.
  private mutating func count(_ code: [UInt8]) {
    var start = 0
    for (index, byte) in code.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
        continue
      default: break
      }
      let name = String(decoding: code[start..<index], as: UTF8.self)
      start = index + 1
      guard byte == UInt8(ascii: "(") else { continue }
      for prefix in ["torch.", "ops."] where name.hasPrefix(prefix) {
        operatorCounts[String(name.dropFirst(prefix.count)), default: 0] += 1
      }
    }
  }

  /// Lists the tensors in the attributes of an object, each object once.
  private mutating func list(_ root: PickleValue, _ reader: PickleReader) {
    var stack = [(path: "", value: root)]
    var visited: Set<Int> = []
    while let (path, value) = stack.popLast() {
      switch value {
      case .tensor(let view):
        tensors.append(
          Entry(name: path, elementType: view.storage.elementType, shape: view.shape))
      case .dictionary(let number) where visited.insert(number).inserted:
        for entry in reader.dictionaries[number].entries.reversed() {
          guard case .text(let name) = entry.key else { continue }
          stack.append((path.isEmpty ? name : "\(path).\(name)", entry.value))
        }
      default: break
      }
    }
  }
}
