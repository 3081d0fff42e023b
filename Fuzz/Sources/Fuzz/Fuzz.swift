import Foundation
import FuzzTargets

#if canImport(Glibc)
  import Glibc
#endif

/// libFuzzer's own main loop (`FuzzerInterface.h`).
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// `Fuzz list`, `Fuzz seeds TARGET FOLDER`, `Fuzz TARGET [libFuzzer's options]`
@main
struct Fuzz {
  /// The target of this process; libFuzzer's callback cannot carry context. Set once, before
  /// anything else runs.
  nonisolated(unsafe) private static var target: FuzzTarget?

  static func main() throws {
    let words = CommandLine.arguments
    guard words.count > 1 else {
      print("usage: Fuzz list | seeds TARGET FOLDER | TARGET ...")
      exit(2)
    }
    switch words[1] {
    case "list": for target in FuzzTarget.all { print(target.name) }
    case "seeds" where words.count == 4: try writeSeeds(of: named(words[2]), words[3])
    default:
      // libFuzzer restarts this program with only its name and options.
      target = named(words[1])
      run(Array([words[0]] + words.dropFirst(2)))
    }
  }

  /// Returns the target with a name, or ends the process.
  private static func named(_ name: String) -> FuzzTarget {
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      print("no target \(name)")
      exit(2)
    }
    return target
  }

  private static func writeSeeds(of target: FuzzTarget, _ folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let root = FileManager.default.currentDirectoryPath
    for (index, sample) in try target.samples(in: root).enumerated() {
      try Data(sample).write(to: URL(filePath: "\(folder)/seed\(index)"))
    }
  }

  private static func run(_ words: [String]) {
    var count = Int32(words.count)
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: words.count + 1)
    for (index, word) in words.enumerated() { pointers[index] = strdup(word) }
    pointers[words.count] = nil
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = pointers
    let status = runFuzzer(&count, &list) { bytes, count in
      // The bytes belong to libFuzzer and are valid only during this call.
      let copy = Array(UnsafeBufferPointer(start: bytes, count: count))
      try? Fuzz.target?.read(copy)
      return 0
    }
    exit(status)
  }
}
