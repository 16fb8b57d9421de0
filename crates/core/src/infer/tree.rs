//! The positions that have been considered: a node is one ply, shared by every explanation that
//! goes through it.

use std::fmt::Debug;

use super::difference::Difference;
use super::image::{Image, View, key};
use super::sight::{Sight, hash_of};
use super::tracker::Rival;
use crate::ply::Ply;
use adoube_rules::sensor::Content;
use adoube_rules::square::Squares;
use adoube_rules::{Footprint, Move as _, Position as _, Variant};

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// One ply: a position and the move that led to it.
#[derive(Debug, Clone)]
pub(super) struct Node<V: Variant> {
    /// The ply before; `None` for the root.
    pub(super) parent: Option<NodeId>,
    /// The move that led here; `None` for the root.
    pub(super) mv: Option<V::Move>,
    /// What that move changed.
    pub(super) footprint: Footprint,
    /// 0 for the root.
    pub(super) ply: Ply,
    /// The position.
    pub(super) position: V::Position,
    /// The picture that it shows.
    pub(super) shown: Box<[Content]>,
    /// Where something stands in it.
    pub(super) occupied: Squares,
    /// The hash of that picture.
    pub(super) hash: u64,
    /// Sum of the weights of the plies up to here, 1/1024 nat.
    pub(super) score: i32,
    /// First frame of the position that settled.
    pub(super) made_ns: u64,
    /// First lift of a piece of this move.
    pub(super) first_lift_ns: u64,
    /// Supplied after a gap rather than seen.
    pub(super) recovered: bool,
    /// The legal moves, each with its node once somebody asked for it.
    children: Option<Box<[Child<V>]>>,
    /// The squares that these moves leave.
    pub(super) left: Squares,
}

impl<V: Variant> Node<V> {
    /// Notes what is seen of the position.
    fn look_again(&mut self, sight: Sight) {
        self.shown = sight.picture::<V>(&self.position);
        self.occupied = super::image::occupied(&self.shown);
        self.hash = hash_of(&self.shown);
    }
}

/// A legal move, and the node that it leads to.
type Child<V> = (<V as Variant>::Move, Option<NodeId>);

/// All nodes of one game.
#[derive(Debug, Clone)]
pub(super) struct Tree<V: Variant> {
    sight: Sight,
    nodes: Vec<Node<V>>,
    /// Moves that may have been played instead of nodes' own, for all that will ever be known: few plies
    /// have any.
    rivals: Vec<(NodeId, Rival<V::Move>)>,
    moves: Vec<V::Move>,
}

/// The root.
pub(super) const ROOT: NodeId = NodeId(0);

impl<V: Variant> Tree<V> {
    pub(super) fn new(sight: Sight, start: V::Position, at_ns: u64) -> Self {
        let shown = sight.picture::<V>(&start);
        let root = Node {
            parent: None,
            mv: None,
            footprint: Footprint::default(),
            ply: Ply::START,
            hash: hash_of(&shown),
            occupied: super::image::occupied(&shown),
            shown,
            position: start,
            score: 0,
            made_ns: at_ns,
            first_lift_ns: at_ns,
            recovered: false,
            children: None,
            left: Squares::EMPTY,
        };
        Self { sight, nodes: vec![root], rivals: Vec::new(), moves: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<V> {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node<V> {
        &mut self.nodes[id.0 as usize]
    }

    /// `id` and the nodes before it, up to the root.
    pub(super) fn upwards(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |&id| self.node(id).parent)
    }

    /// The way to `leaf` goes through `id`, or ends with it.
    pub(super) fn leads_to(&self, id: NodeId, leaf: NodeId) -> bool {
        let ply = self.node(id).ply;
        self.upwards(leaf).find(|&node| self.node(node).ply <= ply) == Some(id)
    }

    /// The plies with which the ways to two nodes part; `None` if one of them leads to the other.
    pub(super) fn parting(&self, one: NodeId, other: NodeId) -> Option<(NodeId, NodeId)> {
        let ply = self.node(one).ply.min(self.node(other).ply);
        let at_ply = |leaf: NodeId| self.upwards(leaf).skip_while(move |&id| self.node(id).ply > ply);
        let both = at_ply(one).zip(at_ply(other));
        both.take_while(|(one, other)| one != other).last()
    }

    /// Moves that may have been played instead of a node's own, with the node.
    pub(super) fn rivals(&self) -> impl Iterator<Item = (NodeId, Rival<V::Move>)> {
        self.rivals.iter().copied()
    }

    /// `rival` may have been played instead of `id`.
    pub(super) fn remember_rival(&mut self, id: NodeId, rival: Rival<V::Move>) {
        let is_known = |known: &&mut (NodeId, Rival<V::Move>)| known.0 == id && known.1.mv == rival.mv;
        match self.rivals.iter_mut().find(is_known) {
            Some((_, known)) => known.behind = known.behind.min(rival.behind),
            None => self.rivals.push((id, rival)),
        }
    }

    /// Nothing else was played instead of `id`.
    pub(super) fn forget_rivals(&mut self, id: NodeId) {
        self.rivals.retain(|&(node, _)| node != id);
    }

    /// The nodes from the first ply to `id`, without the root.
    pub(super) fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = self.upwards(id).collect();
        path.pop();
        path.reverse();
        path
    }

    /// Appends the children of `parent` that show the picture `hash`.
    pub(super) fn children_showing(&mut self, parent: NodeId, hash: u64, found: &mut Vec<NodeId>) {
        let sight = self.sight;
        self.children_where(parent, found, |node, mv| {
            node.hash ^ sight.footprint_key(&node.position.footprint(mv)) == hash
        });
    }

    /// Appends the children of `parent` by the legal moves that leave one of the squares `left` and for
    /// which `is_meant` is true.
    pub(super) fn children_leaving(
        &mut self,
        parent: NodeId,
        left: Squares,
        found: &mut Vec<NodeId>,
        mut is_meant: impl FnMut(&Node<V>, V::Move) -> bool,
    ) {
        self.expand(parent);
        if self.node(parent).left.meets(left) {
            self.children_where(parent, found, |node, mv| {
                mv.departures().into_iter().any(|square| left.contains(square)) && is_meant(node, mv)
            });
        }
    }

    /// Appends the children of `parent` by the legal moves that `is_meant` is true for.
    fn children_where(
        &mut self,
        parent: NodeId,
        found: &mut Vec<NodeId>,
        mut is_meant: impl FnMut(&Node<V>, V::Move) -> bool,
    ) {
        self.expand(parent);
        let mut index = 0;
        loop {
            let node = self.node(parent);
            let moves = node.children.as_deref().unwrap_or_default();
            let Some(offset) = moves[index..].iter().position(|&(mv, _)| is_meant(node, mv)) else { return };
            found.push(self.child(parent, index + offset));
            index += offset + 1;
        }
    }

    /// Where `picture` differs from what `id` shows.
    pub(super) fn difference(&self, id: NodeId, picture: &Image) -> Difference {
        let node = self.node(id);
        match self.sight.view {
            _ if node.hash == picture.hash() => Difference::default(),
            View::Occupancy => Difference::of_occupied(picture.occupied(), node.occupied),
            View::Identity => {
                let difference = Difference::of_occupied(picture.occupied(), node.occupied);
                // Where one man took the place of another, the hashes tell.
                let changed = difference.missing.iter().chain(difference.wrong.iter());
                let hash = changed.fold(node.hash, |hash, square| {
                    hash ^ key(square, node.shown[square]) ^ key(square, picture.at(square))
                });
                if hash == picture.hash() {
                    difference
                } else {
                    Difference::between(picture.contents(), &node.shown)
                }
            }
        }
    }

    /// The child of `parent` by the legal move `mv`.
    pub(super) fn descend(&mut self, parent: NodeId, mv: V::Move) -> Option<NodeId> {
        self.expand(parent);
        let index = self.node(parent).children.as_ref()?.iter().position(|child| child.0 == mv)?;
        Some(self.child(parent, index))
    }

    /// The legal moves of `id`, if they were asked for before.
    pub(super) fn moves(&self, id: NodeId) -> impl Iterator<Item = V::Move> {
        self.node(id).children.iter().flat_map(|children| children.iter().map(|child| child.0))
    }

    fn expand(&mut self, id: NodeId) {
        if self.node(id).children.is_some() {
            return;
        }
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.node(id).position.legal_moves(&mut moves);
        let mut left = Squares::EMPTY;
        moves.iter().flat_map(|&mv| mv.departures()).for_each(|square| left.insert(square));
        let node = self.node_mut(id);
        (node.children, node.left) = (Some(moves.iter().map(|&mv| (mv, None)).collect()), left);
        self.moves = moves;
    }

    fn child(&mut self, parent: NodeId, index: usize) -> NodeId {
        let node = self.node(parent);
        let children = node.children.as_ref().expect("the parent was expanded by the caller");
        let (mv, known) = children[index];
        if let Some(id) = known {
            return id;
        }
        let footprint = node.position.footprint(mv);
        let (mut shown, mut occupied) = (node.shown.clone(), node.occupied);
        for &(square, _, after) in footprint.changes() {
            let after = self.sight.see(square, after);
            shown[square] = after;
            if after.is_empty() { occupied.remove(square) } else { occupied.insert(square) }
        }
        let made = Node {
            parent: Some(parent),
            mv: Some(mv),
            footprint,
            ply: node.ply.next(),
            position: node.position.play(mv),
            shown,
            occupied,
            hash: node.hash ^ self.sight.footprint_key(&footprint),
            score: node.score,
            made_ns: node.made_ns,
            first_lift_ns: node.made_ns,
            recovered: false,
            children: None,
            left: Squares::EMPTY,
        };
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a tree is compacted long before 2^32 nodes"));
        self.nodes.push(made);
        if let Some(children) = &mut self.node_mut(parent).children {
            children[index].1 = Some(id);
        }
        id
    }

    /// A ply after `parent` that is no legal move: what stood on the board when the game went on.
    pub(super) fn append(&mut self, parent: NodeId, position: V::Position, at_ns: u64) -> NodeId {
        let before = self.node(parent);
        let shown = self.sight.picture::<V>(&position);
        let node = Node {
            parent: Some(parent),
            mv: None,
            footprint: Footprint::default(),
            ply: before.ply.next(),
            hash: hash_of(&shown),
            occupied: super::image::occupied(&shown),
            shown,
            position,
            score: before.score,
            made_ns: at_ns,
            first_lift_ns: at_ns,
            recovered: false,
            children: None,
            left: Squares::EMPTY,
        };
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a tree is compacted long before 2^32 nodes"));
        self.nodes.push(node);
        id
    }

    /// A ply like `id` at which another position stands; the root itself is changed.
    pub(super) fn revise(&mut self, id: NodeId, position: V::Position) -> NodeId {
        let mut node = self.node(id).clone();
        node.position = position;
        node.look_again(self.sight);
        node.children = None;
        if id == ROOT {
            self.nodes[0] = node;
            return ROOT;
        }
        let revised =
            NodeId(u32::try_from(self.nodes.len()).expect("a tree is compacted long before 2^32 nodes"));
        self.nodes.push(node);
        let rivals: Vec<_> = self.rivals().filter(|&(node, _)| node == id).collect();
        self.rivals.extend(rivals.into_iter().map(|(_, rival)| (revised, rival)));
        revised
    }

    /// From now on the positions are seen like this.
    pub(super) fn see(&mut self, sight: Sight) {
        self.sight = sight;
        self.nodes.iter_mut().for_each(|node| node.look_again(sight));
    }

    /// Keeps the paths to `leaves` alone; gives each old leaf its new name, in the same order.
    pub(super) fn compact(&mut self, leaves: &[NodeId]) -> Vec<NodeId> {
        let mut kept: Vec<NodeId> = leaves.iter().flat_map(|&leaf| self.upwards(leaf)).collect();
        kept.push(ROOT);
        kept.sort_unstable();
        kept.dedup();
        let renamed = |id: NodeId| {
            let index = kept.binary_search(&id).expect("parents of kept nodes are kept");
            NodeId(u32::try_from(index).expect("there are fewer nodes than before"))
        };
        let nodes = kept
            .iter()
            .map(|&id| {
                let mut node = self.node(id).clone();
                node.parent = node.parent.map(renamed);
                node.children = None;
                node
            })
            .collect();
        let leaves = leaves.iter().map(|&leaf| renamed(leaf)).collect();
        self.rivals.retain_mut(|(id, _)| {
            let is_kept = kept.binary_search(id).is_ok();
            if is_kept {
                *id = renamed(*id);
            }
            is_kept
        });
        self.nodes = nodes;
        leaves
    }
}
