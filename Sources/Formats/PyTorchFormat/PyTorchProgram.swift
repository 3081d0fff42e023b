package import Bytes
import ZipArchive

/// What a program of PyTorch consists of: a TorchScript archive (`torch.jit.save`), or a program of
/// `torch.export.save` (`.pt2`). Its tensors and operators are listed; nothing of it is run.
package struct PyTorchProgram: Sendable {
  /// The form of the file.
  package enum Form: String, Sendable {
    case torchScript = "TorchScript"
    case exported = "torch.export"
  }

  /// A parameter, buffer or other tensor.
  package struct Entry: Sendable {
    /// The path of the attribute that it is: `backbone.conv1.weight`.
    package let name: String
    /// `nil` for a type that no tensor here has.
    package let elementType: ElementType?
    package let shape: [Int]
  }

  package let form: Form
  /// The tensors, in the order of the file.
  package internal(set) var tensors: [Entry] = []
  /// How often each operator is called: `aten.conv2d.default`, or in TorchScript `conv2d`.
  package internal(set) var operatorCounts: [String: Int] = [:]

  static let memberLimit = 1 << 20
  static let memoryLimit = 1 << 28

  /// Reads what can be read; `nil` for another file.
  package init?(_ store: ByteStore) {
    guard
      let members = try? store.withBytes({ (bytes) throws(WeighbridgeError) in
        ZipDirectory.isMagic(bytes)
          ? try ZipDirectory(bytes, memberLimit: Self.memberLimit).members : []
      })
    else { return nil }
    if let program = members.first(where: { Self.isProgram($0.name) }) {
      form = .exported
      list(exported: program, store)
    } else if members.contains(where: { Self.isScript($0.name) }) {
      form = .torchScript
      list(script: members, store)
    } else {
      return nil
    }
  }

  /// Whether a member is one that TorchScript archives have, since version 1.1 of PyTorch or before.
  private static func isScript(_ name: String) -> Bool {
    name.hasSuffix("/constants.pkl") || name.hasSuffix("/tensors/0")
  }

  /// Whether a member is the program of a `.pt2` file, from version 2.8 of PyTorch on or before.
  private static func isProgram(_ name: String) -> Bool {
    name == "serialized_exported_program.json"
      || name.hasSuffix("/serialized_exported_program.json")
      || name.hasSuffix(".json") && name.contains("/models/")
  }

  /// The bytes of a member; `nil` if they cannot be unpacked.
  static func bytes(
    of member: ZipDirectory.Member, in store: ByteStore, memory: inout Int
  ) -> [UInt8]? {
    guard member.byteCount <= memory,
      let (content, range) = try? ZipReader.contents(of: member, in: store, memory: &memory)
    else { return nil }
    return content.withBytes { $0.copied(range) }
  }
}
