import Foundation
import FuzzTargets

/// `Mutate list`, or `Mutate TARGET FIRST COUNT [PROGRAM]`: reads files `FIRST`, `FIRST + 1`, ...
/// of a target, each a mutated sample determined by its number. Every hundredth is also given to
/// the program.
///
/// It exits with status 1 if a file took more than two seconds, the process more than a gigabyte of
/// memory, or the program did not exit by itself; a file that crashes this process is one of the
/// thousand after the last printed number.
@main
struct Mutate {
  static func main() throws {
    let words = CommandLine.arguments
    if words.dropFirst().first == "list" {
      for target in FuzzTarget.all where target.hasSamples { print(target.name) }
      return
    }
    guard words.count >= 4, let first = Int(words[2]), let count = Int(words[3]),
      let target = FuzzTarget.all.first(where: { $0.name == words[1] && $0.hasSamples })
    else {
      print("usage: Mutate TARGET FIRST COUNT [PROGRAM]")
      exit(2)
    }
    let series = try Series(target, program: words.count > 4 ? words[4] : nil)
    try series.run(first..<first + count)
  }
}
