//! What a ruling that confirms a resolution may leave out.

use adoube_sim::scenario::Scenario;

/// What is said against these rulings about an illegal move that was pressed.
fn refusal(rulings: &str) -> String {
    let text = format!(
        "id = \"T\"\ntitle = \"T\"\nstart = \"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1\"\neditions = [\"2018\"]\n\
         board = \"identity\"\nevents = \"-e2 +e5=P PW wait(1s) {rulings}\"\n\
         expect = [\"illegal-move-completed\"]"
    );
    let scenario = Scenario::parse(&text).unwrap();
    scenario.run(&scenario.cases()[0], &[]).unwrap().remarks.join("; ")
}

#[test]
fn what_is_not_proposed_cannot_be_left_out() {
    let refusal = refusal("arb(confirm illegal-move-completed without=clock-time)");
    let said =
        "\"clock-time\" is not proposed for illegal-move-completed; the nearest that is, is \"clock-times\"";
    assert!(refusal.contains(said), "{refusal}");
}

#[test]
fn what_is_decided_to_its_last_proposal_is_not_confirmed_again() {
    let confirm = "arb(confirm illegal-move-completed)";
    assert_eq!(refusal(confirm), "");
    let refusal = refusal(&format!("{confirm} {confirm}"));
    assert!(refusal.contains("illegal-move-completed is confirmed already"), "{refusal}");
}
