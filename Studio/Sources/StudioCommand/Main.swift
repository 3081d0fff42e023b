import ArgumentParser
import Studio

/// The program, or a helper of it.
@main
enum Main {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == HelperMain.word { HelperMain.run(Array(words.dropFirst())) }
    await StudioCommand.main()
  }
}
