import TestSupport
import Testing

/// Conversion of a darknet training by somebody who has only its files and the program's messages.
@Suite struct DarknetCommandTests {
  private func folder(_ names: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in names {
      try Files.write(
        Files.read(Paths.sample("Darknet/training/\(name)")), to: folder.file(name))
    }
    return folder
  }

  /// Runs the command that a message ends with.
  private func follow(_ message: String, in folder: TemporaryFolder) throws -> Outcome {
    let command = try #require(message.split(separator: "weighbridge convert ").last)
    return try Program.shell(
      "cd \"$1\" && eval \"\\\"\\$PROGRAM\\\" convert $2\"", folder.path,
      command.split(separator: "\n").joined())
  }

  @Test(
    "Typing the command from the message makes a file that verifies",
    arguments: [
      ["pets_best.weights", "pets.cfg", "birds.cfg"], ["pets.cfg", "pets_best.weights"],
      ["pets.cfg", "pets_best.weights", "pets_1000.weights", "birds_final.weights"],
    ])
  func typed(names: [String]) throws {
    let folder = try folder(names)
    let first = try Program.run("convert", names[0], in: folder.path)
    first.expect(3, "use ")
    try follow(first.messages, in: folder).expect(0)
    try Program.run("verify", folder.file("pets.wbm")).expect(0)
  }

  @Test("A name with blanks and quotes can be typed as it is shown")
  func quoted() throws {
    let folder = try folder(["pets.cfg"])
    try Files.write(
      Files.read(Paths.sample("Darknet/training/pets_best.weights")),
      to: folder.file("Anna's best $1.weights"))
    let first = try Program.run("convert", "pets.cfg", in: folder.path)
    try follow(first.messages, in: folder).expect(0)
  }

  @Test("Given labels are not a decision, and other label files are not mentioned")
  func labels() throws {
    let folder = try folder(["pets.cfg", "pets_best.weights", "obj.names", "colors.names"])
    let weights = ["convert", "pets.cfg", "--weights", "pets_best.weights"]
    let silent = try Program.run(weights, in: folder.path)
    silent.expect(0, "decision: colors.names and obj.names beside the .cfg")
    let said = try Program.run(weights + ["--labels", "obj.names"], in: folder.path)
    said.expect(0)
    #expect(!said.messages.contains("labels") && !said.messages.contains(".names"))
    let inspection = try Program.run("inspect", "pets.wbm", in: folder.path)
    #expect(inspection.output.contains("cat, dog"))
    #expect(!inspection.output.contains("colors.names"))
  }
}
