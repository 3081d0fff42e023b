import Bytes
import JSON
import ZipArchive

// The JSON of torch.export (torch/_export/serde/schema.py).
extension PyTorchProgram {
  /// The numbers of element types (`ScalarType` there).
  private static let elementTypes: [Int: ElementType] = [
    1: .uint8, 2: .int8, 3: .int16, 4: .int32, 5: .int64, 6: .float16, 7: .float32, 8: .float64,
    12: .bool, 13: .bfloat16, 28: .uint16,
  ]
  /// The kinds of inputs that are tensors of the file, and where their names are.
  private static let kinds = [
    "parameter": "parameter_name", "buffer": "buffer_name",
    "tensor_constant": "tensor_constant_name",
  ]

  /// Lists the tensors and operators of an exported program.
  mutating func list(exported member: ZipDirectory.Member, _ store: ByteStore) {
    var memory = Self.memoryLimit
    guard let text = Self.bytes(of: member, in: store, memory: &memory),
      let module = (try? JSONValue(parsing: text))?.object?["graph_module"]?.object,
      let graph = module["graph"]?.object
    else { return }
    for node in graph["nodes"]?.array ?? [] {
      guard var name = node.object?["target"]?.string else { continue }
      if name.hasPrefix("torch.ops.") { name.removeFirst("torch.ops.".count) }
      operatorCounts[name, default: 0] += 1
    }
    let values = graph["tensor_values"]?.object
    for input in module["signature"]?.object?["input_specs"]?.array ?? [] {
      guard let (name, value) = Self.tensor(input), let type = values?[value]?.object else {
        continue
      }
      let sizes = (type["sizes"]?.array ?? []).compactMap { $0.object?["as_int"]?.integer }
      tensors.append(
        Entry(
          name: name, elementType: type["dtype"]?.integer.flatMap { Self.elementTypes[$0] },
          shape: sizes))
    }
  }

  /// The name of an input that is a tensor of the file, and that of its value; `nil` for another.
  private static func tensor(_ input: JSONValue) -> (name: String, value: String)? {
    for (kind, key) in kinds {
      guard let specification = input.object?[kind]?.object,
        let name = specification[key]?.string,
        let value = specification["arg"]?.object?["name"]?.string
      else { continue }
      return (name, value)
    }
    return nil
  }
}
