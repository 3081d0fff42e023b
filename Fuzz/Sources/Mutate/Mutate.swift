import Foundation
import FuzzTargets

/// `Mutate list`, or `Mutate TARGET FIRST COUNT [PROGRAM]`: reads files `FIRST`, `FIRST + 1`, ... of a target, each a
/// changed sample that its number determines. Every hundredth is also given to the program.
///
/// It ends with status 1 and the number of a file that took more than two seconds, or after which the
/// process has more than a gigabyte of memory; a file that ends it is the one after the last printed.
@main
struct Mutate {
  static func main() throws {
    let words = CommandLine.arguments
    if words.dropFirst().first == "list" {
      for target in FuzzTarget.all where target.hasSamples { print(target.name) }
      return
    }
    guard words.count >= 4, let first = Int(words[2]), let count = Int(words[3]),
      let target = FuzzTarget.all.first(where: { $0.name == words[1] })
    else {
      print("usage: Mutate TARGET FIRST COUNT [PROGRAM]")
      exit(2)
    }
    let series = try Series(target, program: words.count > 4 ? words[4] : nil)
    try series.run(first..<first + count)
  }
}
